//! Analysis of a message: words, numbers, quotes and proper names.

use std::ops::Range;

use genkit::serde_json::Number;

use crate::tokenize::{self, STOP, is_in};

/// The maximum length of a message, in bytes. The remainder is ignored.
const MAX_READ: usize = 8 * 1024;

/// Words between a name and its value, words between a verb and its object, and terminators of an unquoted name.
const LINKS: &str = "is of as be to equals equal called named at";
const LEAD: &str = "that says saying text called named following";
const ENDS: [&str; 7] = [",", " in ", " on ", " today", " tomorrow", " now", " please"];

/// A word or a number, with its position.
pub(crate) struct Word {
    pub(crate) range: Range<usize>,
    pub(crate) lower: String,
    pub(crate) stem: String,
    pub(crate) number: Option<Number>,
    pub(crate) is_quoted: bool,
}

/// An analyzed text.
pub(crate) struct Text<'t> {
    pub(crate) source: &'t str,
    pub(crate) words: Vec<Word>,
    /// Quoted text, without the quotes.
    pub(crate) quotes: Vec<Range<usize>>,
    /// Proper names: capitalized words that are not at the start of a sentence.
    pub(crate) names: Vec<Range<usize>>,
}

impl<'t> Text<'t> {
    pub(crate) fn new(source: &'t str) -> Self {
        let end = (0..=MAX_READ.min(source.len())).rev().find(|at| source.is_char_boundary(*at));
        let source = &source[..end.unwrap_or(0)];
        let quotes = quotes(source);
        let mut text = Self { source, words: words(source, &quotes), quotes, names: Vec::new() };
        for at in 1..text.words.len() {
            let (word, gap) = (&text.words[at], text.gap(at));
            let is_capital = source[word.range.start..].starts_with(char::is_uppercase);
            let begins_sentence = gap.contains(['.', '!', '?', ':', '\n']);
            if is_capital && !begins_sentence && !word.is_quoted && !is_in(STOP, &word.lower) {
                // `Rio de Janeiro`
                let between = |last: &Range<usize>| &source[last.end..word.range.start];
                let part = |last: &mut Range<usize>| matches!(between(last), " " | " de " | " of ");
                let last = text.names.pop_if(part);
                text.names.push(last.map_or(word.range.start, |last| last.start)..word.range.end);
            }
        }
        text
    }

    /// Returns the position of a run of words.
    pub(crate) fn span(&self, run: &Range<usize>) -> Range<usize> {
        self.words[run.start].range.start..self.words[run.end - 1].range.end
    }

    /// Returns the first run of words with these consecutive stems.
    pub(crate) fn run(&self, stems: &[String]) -> Option<Range<usize>> {
        let is_same = |run: &[Word]| run.iter().map(|word| &word.stem).eq(stems);
        let first = self.words.windows(stems.len().max(1)).position(is_same)?;
        Some(first..first + stems.len())
    }

    /// Returns the text between a word and the one before it.
    pub(crate) fn gap(&self, at: usize) -> &'t str {
        &self.source[self.words[at - 1].range.end..self.words[at].range.start]
    }

    /// Finds the first mention of a property, by its full name or its last word. Returns the index of the first word of
    /// the name, the start of the value, and whether a colon or `=` precedes the value.
    pub(crate) fn label(&self, name: &str) -> Option<(usize, usize, bool)> {
        let stems = tokenize::stems(name);
        let run = self.run(&stems).or_else(|| self.run(&stems[stems.len().max(1) - 1..]))?;
        let is_link = |at: &usize| self.gap(*at) == " " && is_in(LINKS, &self.words[*at].lower);
        let links = (run.end..self.words.len()).take_while(is_link).count();
        let rest = &self.source[self.words[run.end + links - 1].range.end..];
        let is_named = rest.trim_start().starts_with([':', '=']);
        let value = self.source.len() - rest.trim_start_matches([' ', ':', '=', '$', '€']).len();
        // A name of one letter is usually an ordinary word.
        (is_named || name.len() > 1).then_some((run.start, value, is_named))
    }

    /// Returns the text of a named value: a quote, the text after a colon, or a proper name.
    pub(crate) fn labelled(&self, name: &str) -> Option<Range<usize>> {
        let (_, value, is_named) = self.label(name)?;
        let mut all = self.quotes.iter().chain(&self.names);
        let place = all.find(|place| place.start == value || place.start == value + 1).cloned();
        let named = self.text_until(value, &[",", ";", "\n", ". "]).filter(|_| is_named);
        place.or(named)
    }

    /// Returns the words next to a name, where a number can be: `limit of 5`, `5 days`.
    pub(crate) fn beside(&self, name: &str) -> impl Iterator<Item = &Word> {
        self.label(name).into_iter().flat_map(|(word, value, _)| {
            let behind = self.words.iter().find(move |word| word.range.contains(&value));
            behind.into_iter().chain(self.words.get(word.wrapping_sub(1)))
        })
    }

    /// Returns the index of the first word of the tool's name.
    fn anchor(&self, tool: &[String]) -> usize {
        let is_tool = |word: &Word| !word.is_quoted && tool.contains(&word.stem);
        self.words.iter().position(is_tool).unwrap_or(0)
    }

    /// Returns the proper names that are not part of the tool's name. Names after the words of the tool come first.
    pub(crate) fn names_for(&self, tool: &[String]) -> Vec<Range<usize>> {
        let anchor = self.words.get(self.anchor(tool)).map_or(0, |word| word.range.start);
        let stems = |name: &Range<usize>| tokenize::stems(&self.source[name.clone()]);
        let mut names = self.names.clone();
        names.retain(|name| !stems(name).iter().all(|stem| tool.contains(stem)));
        names.sort_by_key(|name| name.start < anchor);
        names
    }

    /// Returns the subject of a message: the text after a colon or after the tool's words, or its start.
    pub(crate) fn find_subject(&self, tool: &[String], is_phrase: bool) -> Option<Range<usize>> {
        let is_lead = |word: &&Word| {
            let is_lead = is_in(STOP, &word.lower) || is_in(LEAD, &word.lower);
            if tool.is_empty() { !is_phrase } else { is_lead || tool.contains(&word.stem) }
        };
        let words = &self.words[self.anchor(tool)..];
        let start = words.iter().find(|word| !is_lead(word))?.range.start;
        let from = words[0].range.start;
        let colon =
            self.source[from..].find(": ").and_then(|at| self.text_until(from + at + 1, &[]));
        let plain = || self.text_until(start, if is_phrase { &[] } else { &ENDS });
        colon.filter(|_| is_phrase).or_else(plain)
    }

    /// Returns the text from a position to the first of `ends`, without surrounding whitespace and final punctuation.
    fn text_until(&self, at: usize, ends: &[&str]) -> Option<Range<usize>> {
        let rest = self.source[at..].trim_start();
        let end = ends.iter().filter_map(|stop| rest.find(stop)).min().unwrap_or(rest.len());
        let text = rest[..end].trim_end_matches(|c: char| c.is_whitespace() || ".?!".contains(c));
        let start = self.source.len() - rest.len();
        (!text.is_empty()).then(|| start..start + text.len())
    }
}

/// Finds closed quotes. An apostrophe does not open or close one.
fn quotes(source: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    for (at, open) in source.match_indices(['"', '`', '\'', '“']) {
        let from = at + open.len();
        let rest = &source[from..];
        let close = if open == "“" { "”" } else { open };
        let closes = |to: &usize| !rest[to + close.len()..].starts_with(char::is_alphanumeric);
        let to = rest.match_indices(close).map(|(to, _)| to).find(closes).unwrap_or(0);
        if at >= end && to > 0 && !source[..at].ends_with(char::is_alphanumeric) {
            found.push(from..from + to);
            end = from + to + close.len();
        }
    }
    found
}

fn words(source: &str, quotes: &[Range<usize>]) -> Vec<Word> {
    let (mut words, mut at) = (Vec::new(), 0);
    while let Some(blank) = source[at..].find(char::is_alphanumeric) {
        let start = at + blank;
        let length = source[start..].find(|c: char| !c.is_alphanumeric());
        let word = start..length.map_or(source.len(), |length| start + length);
        let (range, number) = number(source, start).unwrap_or((word, None));
        at = range.end;
        let lower = source[range.clone()].to_lowercase();
        let is_quoted = quotes.iter().any(|quote| quote.contains(&start));
        words.push(Word { range, stem: tokenize::stem(&lower), lower, number, is_quoted });
    }
    words
}

/// Parses a number at a position, with its sign, unless it is part of a name, a date or a version.
fn number(source: &str, at: usize) -> Option<(Range<usize>, Option<Number>)> {
    let (before, rest) = source.split_at(at);
    let end = rest.find(|c: char| !c.is_ascii_digit() && !",.".contains(c)).unwrap_or(rest.len());
    let mut digits = rest[..end].trim_end_matches([',', '.']);
    // Thousands: `1,000,000`, but `1,2` are two numbers.
    if digits.split(',').skip(1).any(|group| group.find('.').unwrap_or(group.len()) != 3) {
        digits = digits.split(',').next().unwrap_or(digits);
    }
    // The `-` of `-4` is a sign, those of `2025-03-04` are not.
    let opens = |c: char| c.is_whitespace() || "(=:,[".contains(c);
    let sign = before.strip_suffix('-').filter(|rest| rest.is_empty() || rest.ends_with(opens));
    let is_part = rest[digits.len()..].starts_with('-') || before.ends_with(['_', '.', '-']);
    if is_part && sign.is_none() {
        return None;
    }
    let range = at - usize::from(sign.is_some())..at + digits.len();
    let plain = source[range.clone()].replace(',', "");
    let whole = plain.parse::<i64>().map(Number::from).ok();
    Some((range, Some(whole.or_else(|| Number::from_f64(plain.parse().ok()?))?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_order() {
        for (text, wanted) in [
            ("What is 2 plus 40?", "2 40"),
            ("2+40", "2 40"),
            ("17-4", ""),
            ("17 -4", "17 -4"),
            ("-3.5 and 1.", "-3.5 1"),
            ("1,000,000 or 1,2", "1000000 1 2"),
            ("$5, 20% of 3kg", "5 20 3"),
            ("version 1.2.3, room B52, x_1", ""),
            ("99999999999999999999999", "1e+23"),
            ("", ""),
            ("٣ é2", ""),
            ("on 2025-03-04 as c4", ""),
        ] {
            let words = Text::new(text).words;
            let found: Vec<_> =
                words.iter().filter_map(|word| Some(word.number.as_ref()?.to_string())).collect();
            assert_eq!(found.join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn quotes_are_distinguished_from_apostrophes() {
        for (text, wanted) in [
            ("say \"hi there\" and 'it's me'", "hi there|it's me"),
            ("What's Bob's name, don't you know", ""),
            ("“Grüße” `c`", "Grüße|c"),
            ("an open \"quote", ""),
            ("\"\"", ""),
        ] {
            let text = Text::new(text);
            let found: Vec<_> =
                text.quotes.iter().map(|range| &text.source[range.clone()]).collect();
            assert_eq!(found.join("|"), wanted);
        }
    }

    #[test]
    fn names_have_capitals() {
        for (text, wanted) in [
            ("What about Paris and in London?", "Paris|London"),
            ("to the Isle and Rio de Janeiro", "Isle|Rio de Janeiro"),
            ("is New York City's mayor there", "New York City"),
            ("Paris today. Rome tomorrow", ""),
            ("see 'Rome' or rome", ""),
        ] {
            let text = Text::new(text);
            let names: Vec<_> = text.names.iter().map(|name| &text.source[name.clone()]).collect();
            assert_eq!(names.join("|"), wanted);
        }
    }

    #[test]
    fn long_messages_are_cut_between_letters() {
        let long = format!("a{}", "é".repeat(MAX_READ));
        assert_eq!(Text::new(&long).source.len(), MAX_READ - 1);
    }
}
