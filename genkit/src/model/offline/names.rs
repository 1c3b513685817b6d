//! Proper names: words with capitals that do not begin a sentence.

use std::ops::Range;

use super::text::Word;
use super::words;

/// Words that a name often follows.
const PREPOSITIONS: &[&str] =
    &["in", "for", "of", "to", "at", "about", "from", "near", "with", "on", "into", "by"];

/// Words within names: `Rio de Janeiro`, `Isle of Man`.
const WITHIN: &[&str] = &["of", "de", "da", "do", "del", "la", "le", "van", "von", "der", "the"];

/// Words whose full stop ends no sentence.
const SHORT: &[&str] = &["st", "mt", "dr", "mr", "mrs", "ms", "prof"];

/// How many words a name has at the most.
const MAX_WORDS: usize = 8;

/// A proper name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name {
    pub(super) range: Range<usize>,
    /// The preposition before it.
    pub(super) after: Option<String>,
    /// Whether it belongs to the name before it, as in `Paris and London`.
    pub(super) joined: bool,
}

/// The names in a text, in order.
pub(super) fn find(source: &str, words: &[Word]) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    let mut last = None;
    let mut at = 0;
    while at < words.len() {
        if !can_begin(source, words, at) {
            at += 1;
            continue;
        }
        let end = end_of(source, words, at);
        let after = preposition(source, words, at);
        let joined = last.is_some_and(|(before, with): (usize, Option<String>)| {
            (after.is_none() || after == with) && is_joined(source, words, before, at)
        });
        let range = words[at].at..without_s(&words[end - 1]);
        // In `in Paris and London` the preposition is that of both.
        let after = after.or_else(|| names.last().filter(|_| joined)?.after.clone());
        last = Some((end - 1, after.clone()));
        names.push(Name { range, after, joined });
        at = end;
    }
    names
}

/// Where a word ends, without a possessive `'s`.
fn without_s(word: &Word) -> usize {
    let cut = word.text.strip_suffix("'s").or_else(|| word.text.strip_suffix("’s"));
    word.at + cut.unwrap_or(word.text).len()
}

fn gap<'t>(source: &'t str, words: &[Word], after: usize) -> &'t str {
    match (words.get(after), words.get(after + 1)) {
        (Some(word), Some(next)) => source.get(word.end()..next.at).unwrap_or(""),
        _ => "",
    }
}

fn is_name_word(word: &Word) -> bool {
    word.is_capitalised()
        && !word.quoted
        && !words::is_stop(&word.lower)
        && !words::is_time(&word.lower)
}

fn can_begin(source: &str, words: &[Word], at: usize) -> bool {
    let word = &words[at];
    if begins_sentence(source, words, at) {
        return false;
    }
    // `The Hague`: an article with a capital within a sentence.
    let article = word.text == "The"
        && words.get(at + 1).is_some_and(is_name_word)
        && gap(source, words, at) == " ";
    is_name_word(word) || article
}

fn begins_sentence(source: &str, words: &[Word], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let gap = gap(source, words, before);
    let short = || {
        let word = words[before].lower.as_str();
        word.chars().count() == 1 || SHORT.contains(&word)
    };
    gap.contains(['!', '?', ':', '\n']) || (gap.contains('.') && !short())
}

/// The index after the last word of the name that begins at `at`.
fn end_of(source: &str, words: &[Word], at: usize) -> usize {
    let mut end = at + 1;
    while end < words.len() && end - at < MAX_WORDS {
        let possessive = without_s(&words[end - 1]) < words[end - 1].end();
        let gap_before = gap(source, words, end - 1);
        let close = matches!(gap_before, " " | "-" | ". " | ".");
        if possessive || !close || begins_sentence(source, words, end) {
            break;
        }
        if is_name_word(&words[end]) {
            end += 1;
            continue;
        }
        let within =
            words[end..].iter().take(2).take_while(|word| WITHIN.contains(&word.text)).count();
        let spaced = (end..end + within).all(|word| gap(source, words, word) == " ");
        if within > 0 && spaced && words.get(end + within).is_some_and(is_name_word) {
            end += within + 1;
        } else {
            break;
        }
    }
    // `San Francisco, CA`
    let is_state = |word: &Word| word.text.len() == 2 && word.text.chars().all(char::is_uppercase);
    if gap(source, words, end - 1) == ", " && words.get(end).is_some_and(is_state) {
        end += 1;
    }
    end
}

fn preposition(source: &str, words: &[Word], at: usize) -> Option<String> {
    let mut before = at.checked_sub(1)?;
    if matches!(words[before].text, "the" | "The") {
        before = before.checked_sub(1)?;
    }
    let word = words[before].lower.as_str();
    let close = (before..at).all(|word| gap(source, words, word) == " ");
    (close && PREPOSITIONS.contains(&word)).then(|| word.to_owned())
}

/// Whether nothing but `and`, a comma and a preposition is between two words.
fn is_joined(source: &str, words: &[Word], before: usize, at: usize) -> bool {
    let between = &words[before + 1..at];
    let Some(gaps) = source.get(words[before].end()..words[at].at) else { return false };
    let filler = |word: &Word| {
        let word = word.lower.as_str();
        matches!(word, "and" | "also" | "the" | "or") || PREPOSITIONS.contains(&word)
    };
    let links = gaps.contains([',', '&']) || between.iter().any(|word| word.text == "and");
    let blank = !gaps.contains(['.', '!', '?', ';', ':', '\n', '"']);
    between.len() <= 4 && between.iter().all(filler) && links && blank
}

/// Whether a word in lower case is a preposition that an argument may follow.
pub(super) fn is_preposition(word: &str) -> bool {
    PREPOSITIONS.contains(&word)
}

#[cfg(test)]
mod tests {
    use crate::model::offline::text::Text;

    #[test]
    fn names_are_words_with_capitals() {
        for (text, wanted) in [
            ("What is the weather in Baltimore?", "in Baltimore"),
            ("in Paris and in London, in Rome", "in Paris +in London +in Rome"),
            ("in Paris and London & Rome", "in Paris +in London +in Rome"),
            ("from New York to San Francisco, CA", "from New York|to San Francisco, CA"),
            ("a trip to Rio de Janeiro, Isle of Man", "to Rio de Janeiro +to Isle of Man"),
            ("Paris is nice. London too. Ask Mr. Smith. I do", "Mr. Smith"),
            ("see Paris's sights, The Hague on Monday", "Paris|The Hague"),
            ("visit the Louvre in St. Louis!", "Louvre|in St. Louis"),
            ("WHAT IS THE WEATHER IN PARIS", "WEATHER|in PARIS"),
            ("say \"Hello World\" to the Boss", "to Boss"),
            ("", ""),
        ] {
            let text = Text::new(text);
            let mut found = String::new();
            for name in &text.names {
                found.push_str(if name.joined { " +" } else { "|" });
                found.extend(name.after.iter().flat_map(|after| [after.as_str(), " "]));
                found.push_str(&text.source[name.range.clone()]);
            }
            assert_eq!(found.trim_start_matches('|'), wanted);
        }
    }
}
