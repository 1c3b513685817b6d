//! A message, taken apart: its words, numbers, quotes and what looks like an address or a date.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::names::{self, Name};
use super::numbers::{self, Found};
use super::words;

/// How much of a message is looked at, in bytes.
const MAX_LOOKED_AT: usize = 64 * 1024;

/// How many places of one word are looked at.
const MAX_SAME: usize = 16;

/// A word and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// In lower case.
    pub(super) lower: String,
    pub(super) stem: String,
    /// Whether it is inside of quotes.
    pub(super) quoted: bool,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    pub(super) fn is_capitalised(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }
}

/// A message, taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Text<'t> {
    pub(super) source: &'t str,
    pub(super) words: Vec<Word<'t>>,
    pub(super) numbers: Vec<Found>,
    /// What is inside of quotes, without them.
    pub(super) quotes: Vec<Range<usize>>,
    pub(super) names: Vec<Name>,
    /// Words, as far as blanks part them, without the punctuation around them.
    pub(super) pieces: Vec<Range<usize>>,
    /// The operations between numbers.
    pub(super) operations: Vec<&'static str>,
    /// Where the words with a stem stand.
    index: HashMap<String, Vec<usize>>,
}

impl<'t> Text<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        let source = &source[..floor(source, MAX_LOOKED_AT)];
        let quotes = quotes(source);
        let pieces = pieces(source);
        let words = words_of(source, &quotes);
        let mut special = vec![false; source.len()];
        for piece in pieces.iter().filter(|piece| is_special(&source[(*piece).clone()])) {
            special[piece.clone()].fill(true);
        }
        let numbers = numbers::find(source, |range| !special[range.start]);
        let operations = numbers::operations(source, &numbers);
        let names = names::find(source, &words);
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            let places = index.entry(word.stem.clone()).or_default();
            if places.len() < MAX_SAME {
                places.push(at);
            }
        }
        Self { source, words, numbers, quotes, names, pieces, operations, index }
    }

    /// The stems that tell which tool is meant: what is quoted is the matter of a call, not its name.
    pub(super) fn stems(&self, spent: impl Fn(&Word) -> bool) -> HashSet<&str> {
        let all_quoted = self.words.iter().all(|word| word.quoted);
        let words = self.words.iter().filter(|word| (all_quoted || !word.quoted) && !spent(word));
        let calculated =
            if self.operations.is_empty() { &[][..] } else { &["calculat", "calculator"] };
        words
            .map(|word| word.stem.as_str())
            .chain(self.operations.iter().copied())
            .chain(calculated.iter().copied())
            .collect()
    }

    /// The index of the first word that begins at `at` or after it.
    pub(super) fn word_from(&self, at: usize) -> usize {
        self.words.partition_point(|word| word.at < at)
    }

    /// Where `stems` stand one after the other, as indices of words.
    pub(super) fn runs<'a>(
        &'a self,
        stems: &'a [String],
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let places = stems.first().and_then(|first| self.index.get(first));
        places.into_iter().flatten().filter_map(move |&at| {
            let words = self.words.get(at..at + stems.len())?;
            let same = words.iter().zip(stems).all(|(word, stem)| word.stem == *stem);
            same.then(|| at..at + stems.len())
        })
    }

    pub(super) fn has(&self, stem: &str) -> bool {
        self.index.contains_key(stem)
    }

    /// What stands between two words that follow each other.
    pub(super) fn gap(&self, after: usize) -> &'t str {
        let (Some(word), Some(next)) = (self.words.get(after), self.words.get(after + 1)) else {
            return "";
        };
        self.source.get(word.end()..next.at).unwrap_or("")
    }
}

/// The greatest place up to `at` where a text can be cut.
fn floor(text: &str, at: usize) -> usize {
    if text.len() <= at {
        return text.len();
    }
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Letters and digits, and apostrophes within them.
fn words_of<'t>(source: &'t str, quotes: &[Range<usize>]) -> Vec<Word<'t>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut chars = source.char_indices().peekable();
    let mut quote = quotes.iter().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let within = c.is_alphanumeric()
            || (is_apostrophe(c) && start.is_some() && next.is_some_and(char::is_alphanumeric));
        if within {
            start.get_or_insert(at);
        }
        let ends = !within || next.is_none();
        if let Some(from) = start.filter(|_| ends) {
            let text = &source[from..if within { at + c.len_utf8() } else { at }];
            while quote.peek().is_some_and(|quote| quote.end <= from) {
                quote.next();
            }
            let quoted = quote.peek().is_some_and(|quote| quote.contains(&from));
            let lower = words::lower(text);
            words.push(Word { text, at: from, stem: words::stem(&lower), lower, quoted });
            start = None;
        }
    }
    words
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// What is between quotes. A single quote counts where a word begins after it and ends before it.
fn quotes(source: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    let lasts = ['"', '`', '\'', '”', '»', '’'].map(|close| (close, source.rfind(close)));
    let last = |close| lasts.iter().find(|(known, _)| *known == close)?.1;
    for (at, c) in source.char_indices() {
        let after = source[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        match open {
            Some((from, close)) if c == close && (c != '\'' || !after.is_alphanumeric()) => {
                if from < at {
                    found.push(from..at);
                }
                open = None;
            }
            None if !before.is_alphanumeric() => {
                let close = match c {
                    '"' | '`' => Some(c),
                    '\'' if !after.is_whitespace() => Some(c),
                    '“' | '„' => Some('”'),
                    '«' => Some('»'),
                    '‘' => Some('’'),
                    _ => None,
                };
                // A quote that nothing closes is none.
                let closes = |close: &char| last(*close).is_some_and(|last| last > at);
                open = close.filter(closes).map(|close| (at + c.len_utf8(), close));
            }
            _ => {}
        }
        before = c;
    }
    found
}

fn pieces(source: &str) -> Vec<Range<usize>> {
    let around = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '#' | '=' | '&' | '+' | '-');
    let start = |piece: &str| piece.as_ptr() as usize - source.as_ptr() as usize;
    source
        .split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`'))
        .map(|piece| piece.trim_matches(around))
        .filter(|piece| !piece.is_empty())
        .map(|piece| start(piece)..start(piece) + piece.len())
        .collect()
}

/// Whether the digits in a piece are no numbers: addresses, dates, times.
fn is_special(piece: &str) -> bool {
    ["email", "uri", "date", "date-time", "time", "uuid"].iter().any(|form| has_form(piece, form))
}

/// Whether a piece has the form that a schema's `format` asks for; `false` for formats that are not
/// known here.
pub(super) fn has_form(piece: &str, format: &str) -> bool {
    match format {
        "email" => piece.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && host.contains('.') && !host.contains('@') && !piece.contains('/')
        }),
        "uri" | "url" => piece.split_once("://").is_some_and(|(scheme, rest)| {
            !rest.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric())
        }),
        "date" => like(piece, "0000-00-00"),
        "time" | "partial-time" => like(piece, "00:00") || like(piece, "00:00:00"),
        "date-time" => piece.split_at_checked(11).is_some_and(|(date, time)| {
            let time = time.trim_end_matches(['Z', 'z']);
            let clock = time.get(..8).unwrap_or(time);
            like(date.trim_end_matches(['T', 't']), "0000-00-00") && like(clock, "00:00:00")
        }),
        "uuid" => like(piece, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        "ipv4" => piece.parse::<std::net::Ipv4Addr>().is_ok(),
        "ipv6" => piece.parse::<std::net::Ipv6Addr>().is_ok(),
        _ => false,
    }
}

/// Whether a piece looks like a pattern, in which `0` is a digit and `x` one of a hexadecimal number.
fn like(piece: &str, pattern: &str) -> bool {
    piece.len() == pattern.len()
        && piece.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            b'x' => byte.is_ascii_hexdigit(),
            _ => byte == wanted,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_no_apostrophes() {
        for (text, wanted) in [
            ("say \"hi there\" and 'it's me'", "hi there|it's me"),
            ("What's Bob's name, don't you know", ""),
            ("„Grüße” «a» ‘b’ `c`", "Grüße|a|b|c"),
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
    fn forms_are_told_by_their_looks() {
        for (piece, format) in [
            ("a@b.org", "email"),
            ("https://a.b/c?d=1", "uri"),
            ("2025-03-04", "date"),
            ("10:30", "time"),
            ("2025-03-04T10:30:00Z", "date-time"),
            ("10.0.0.1", "ipv4"),
            ("2025-03-04T10:30:00+01:00", "date-time"),
            ("123e4567-e89b-12d3-a456-426614174000", "uuid"),
        ] {
            assert!(has_form(piece, format), "{piece}");
        }
        for (piece, format) in [
            ("@b.org", "email"),
            ("a://", "uri"),
            ("2025-3-4", "date"),
            ("é", "date-time"),
            ("x", "y"),
        ] {
            assert!(!has_form(piece, format), "{piece}");
        }
    }

    #[test]
    fn long_messages_are_cut_between_letters() {
        let long = "é".repeat(MAX_LOOKED_AT);
        assert_eq!(Text::new(&format!("a{long}")).source.len(), MAX_LOOKED_AT - 1);
    }
}
