//! What a message says of a property by its name: `city: Paris`, `limit of 5`, `titled "Milk"`.

use std::ops::Range;

use super::text::Text;
use super::words;

/// Words of property names that say nothing of what is meant.
const VAGUE: &[&str] = &[
    "name", "id", "value", "number", "num", "count", "of", "is", "has", "include", "with", "the",
    "should", "enable", "max", "min", "new", "text", "string", "type", "to", "in", "for", "from",
    "by", "at", "on", "and", "or", "a", "an",
];

/// Words between a name and its value.
const LINKS: &[&str] = &["is", "of", "as", "be", "to", "equals", "equal", "called", "named", "at"];

/// Words that turn a mention around.
const NOT: &[&str] = &[
    "not", "no", "without", "don't", "dont", "never", "non", "skip", "exclude", "doesn't", "isn't",
];

/// The name of a property as it is looked for.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// All its words.
    all: Vec<String>,
    /// Those that say something.
    telling: Vec<String>,
    /// Its words as they are.
    pub(super) words: Vec<String>,
}

impl Label {
    pub(super) fn new(name: &str) -> Self {
        let words = words::split_name(name);
        let all: Vec<String> = words.iter().map(|word| words::stem(word)).collect();
        let is_telling = |word: &&String| !VAGUE.contains(&word.as_str()) && word.len() > 1;
        let telling = words.iter().filter(is_telling).map(|word| words::stem(word)).collect();
        Self { all, telling, words }
    }

    /// The words that mention it: all of its name, else one that tells.
    fn mentions(&self, text: &Text) -> Vec<Range<usize>> {
        let whole: Vec<_> = text.runs(&self.all).collect();
        if !whole.is_empty() || self.all.len() == 1 {
            return whole;
        }
        let one = |stem: &String| text.runs(std::slice::from_ref(stem)).collect::<Vec<_>>();
        self.telling.iter().rev().map(one).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// A name of one letter is a word of its own too often: it counts before `=` and `:` alone.
    fn is_letter(&self) -> bool {
        matches!(self.words.as_slice(), [word] if word.chars().count() == 1)
    }

    /// Whether the text is about it, and whether it is meant.
    pub(super) fn mentioned(&self, text: &Text) -> Option<(bool, Range<usize>)> {
        let stems = if self.telling.is_empty() { &self.all } else { &self.telling };
        if self.is_letter() || stems.is_empty() {
            return None;
        }
        let first = text.runs(&stems[..1]).next()?;
        if !stems.iter().all(|stem| text.has(stem)) {
            return None;
        }
        let before = first.start.saturating_sub(2)..first.start;
        let negated = text.words[before].iter().any(|word| NOT.contains(&word.lower.as_str()));
        let end = text.words.get(first.end - 1)?.end();
        let said = text.source[end..].trim_start_matches([':', '=', ' ']);
        let off = ["false", "no", "off"].iter().any(|word| {
            let rest = said.get(..word.len()).filter(|said| said.eq_ignore_ascii_case(word));
            rest.is_some() && !said[word.len()..].starts_with(char::is_alphanumeric)
        });
        Some((!negated && !off, text.words[first.start].at..end))
    }

    /// The text that is given under this name.
    pub(super) fn text(&self, text: &Text) -> Option<Range<usize>> {
        self.mentions(text).into_iter().find_map(|mention| {
            let end = text.words.get(mention.end.checked_sub(1)?)?.end();
            let (at, named) = after_link(text, end);
            if self.is_letter() && !named {
                return None;
            }
            let quote = text.quotes.partition_point(|quote| quote.start <= at);
            if let Some(quote) = text.quotes.get(quote) {
                let opening = text.source[at..quote.start].chars().count() == 1;
                if opening {
                    return Some(quote.clone());
                }
            }
            if named {
                return until(text.source, at, VALUE_ENDS);
            }
            let name = text.names.partition_point(|name| name.range.start < at);
            let name = text.names.get(name).filter(|name| name.range.start == at)?;
            Some(name.range.clone())
        })
    }

    /// The list that is given under this name.
    pub(super) fn list(&self, text: &Text) -> Option<Range<usize>> {
        self.mentions(text).into_iter().find_map(|mention| {
            let end = text.words.get(mention.end.checked_sub(1)?)?.end();
            let (at, named) = after_link(text, end);
            let list = until(text.source, at, LIST_ENDS)?;
            let several = || text.source[list.clone()].contains([',', ';']);
            // Without a colon the list begins right behind its name: `tags home, urgent`.
            let follows = || {
                let word = text.words.get(text.word_from(list.start));
                word.is_some_and(|word| word.at == list.start)
            };
            (named || (!self.is_letter() && several() && follows())).then_some(list)
        })
    }

    /// The number that is given under this name, as an index into the text's.
    pub(super) fn number(&self, text: &Text, free: impl Fn(usize) -> bool) -> Option<usize> {
        let numbered = |at: usize| {
            let index = text.numbers.partition_point(|number| number.range.start < at);
            let number = text.numbers.get(index)?;
            (number.range.start == at && free(index)).then_some(index)
        };
        for mention in self.mentions(text) {
            let end = text.words.get(mention.end.checked_sub(1)?)?.end();
            let (at, named) = after_link(text, end);
            if (named || !self.is_letter())
                && let Some(found) = numbered(at)
            {
                return Some(found);
            }
        }
        if self.is_letter() {
            return None;
        }
        // `5 days`
        self.mentions(text).into_iter().find_map(|mention| {
            let start = text.words.get(mention.start)?.at;
            let index = text.numbers.partition_point(|number| number.range.end <= start);
            let index = index.checked_sub(1)?;
            let gap = text.source.get(text.numbers[index].range.end..start)?;
            (matches!(gap, " " | "-" | "") && free(index)).then_some(index)
        })
    }

    /// Whether one of its words is among these, which blanks part.
    pub(super) fn is_one_of(&self, words: &str) -> bool {
        words.split(' ').any(|known| self.words.iter().any(|word| word == known))
    }
}

/// Where the value of a name that ends at `end` begins, and whether a colon or `=` says that it does.
fn after_link(text: &Text, end: usize) -> (usize, bool) {
    let mut at = end;
    for _ in 0..3 {
        let rest = text.source.get(at..).unwrap_or("");
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        at += blank;
        let rest = &rest[blank..];
        if let Some(value) = rest.strip_prefix([':', '=']) {
            let blank = value.len() - value.trim_start_matches([' ', '\t']).len();
            return (at + 1 + blank, true);
        }
        let word = text.words.get(text.word_from(at)).filter(|word| word.at == at);
        match word {
            Some(word) if LINKS.contains(&word.lower.as_str()) => at = word.end(),
            _ => break,
        }
    }
    (at, false)
}

/// What ends a value.
const VALUE_ENDS: &[&str] = &[",", ";", "\n", ". ", "? ", "! "];

/// What ends a list of values.
pub(super) const LIST_ENDS: &[&str] = &[". ", "? ", "! "];

/// From `at` to the first of `ends`, without punctuation behind it.
pub(super) fn until(source: &str, at: usize, ends: &[&str]) -> Option<Range<usize>> {
    let rest = source.get(at..)?;
    let end = ends.iter().filter_map(|stop| rest.find(stop)).min().unwrap_or(rest.len());
    let value = rest[..end].trim_end_matches(|c: char| c.is_whitespace() || ".?!".contains(c));
    (!value.is_empty()).then(|| at..at + value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_behind_their_names() {
        for (text, name, wanted) in [
            ("city: Paris, unit: c", "city", "Paris"),
            ("a=one thing; b=two", "b", "two"),
            ("a note titled \"Buy milk\" please", "title", "Buy milk"),
            ("with the subject 'Hi you' and body 'x'", "body", "x"),
            ("my name is Bob Smith.", "user_name", ""),
            ("my name is Bob Smith.", "name", "Bob Smith"),
            ("the city of Rome", "city_name", "Rome"),
            ("the city weather", "city", ""),
            ("a Big thing", "a", ""),
            ("city:", "city", ""),
            ("", "city", ""),
            ("x", "", ""),
        ] {
            let text = Text::new(text);
            let found = Label::new(name).text(&text).map(|range| &text.source[range]);
            assert_eq!(found.unwrap_or(""), wanted, "{name} in {}", text.source);
        }
    }

    #[test]
    fn numbers_stand_around_their_names() {
        for (text, name, wanted) in [
            ("3 notes, limit 5", "limit", "5"),
            ("limit of 7", "max_limit", "7"),
            ("for 5 days", "days", "5"),
            ("in 2 days, 3 nights", "nights", "3"),
            ("a 5", "a", ""),
            ("b = 2, a=5", "a", "5"),
            ("a 5-day forecast", "day_count", "5"),
            ("no number", "limit", ""),
        ] {
            let text = Text::new(text);
            let found = Label::new(name).number(&text, |_| true);
            let found = found.map(|index| text.numbers[index].value.to_string());
            assert_eq!(found.unwrap_or_default(), wanted, "{name} in {}", text.source);
        }
    }

    #[test]
    fn mentions_may_be_negated() {
        for (text, name, wanted) in [
            ("with hourly values", "include_hourly", Some(true)),
            ("not hourly", "hourly", Some(false)),
            ("hourly: off", "hourly", Some(false)),
            ("hourly now", "hourly", Some(true)),
            ("don't be verbose", "verbose", Some(false)),
            ("x", "verbose", None),
            ("is a", "a", None),
        ] {
            let found = Label::new(name).mentioned(&Text::new(text)).map(|found| found.0);
            assert_eq!(found, wanted, "{text}");
        }
    }
}
