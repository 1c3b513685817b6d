//! The arguments of one call: fragments that are appended, or snapshots that replace each other.

/// The maximum depth of arguments, the same as in `serde_json`.
const MAX_DEPTH: usize = 128;

/// The part of a JSON value that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing but white space.
    Empty,
    /// A prefix of a value.
    Open,
    /// A complete object, list or string.
    Whole,
    /// Not a prefix of any value, or more than one value.
    Broken,
}

/// The arguments received so far. Each fragment is appended. A fragment that begins with all of the earlier text may
/// also be a snapshot that replaces this text; at the end of the stream, the better interpretation is chosen.
#[derive(Default)]
pub(super) struct ArgumentsText {
    appended: ScannedText,
    snapshot: Option<ScannedText>,
}

#[derive(Clone, Default)]
struct ScannedText {
    text: String,
    scanner: JsonScanner,
}

impl ArgumentsText {
    /// Adds a fragment or a snapshot.
    pub(super) fn add(&mut self, more: &str) {
        if more.is_empty() || (self.progress() == Progress::Whole && is_nothing(more)) {
            return;
        }
        let repeats = |known: &ScannedText| {
            known.scanner.progress() != Progress::Empty && more.starts_with(&known.text)
        };
        // Some servers begin with an empty object, and send the arguments afterwards.
        let replaces = self.is_empty_object() && more.trim_start().starts_with('{');
        if replaces || repeats(&self.appended) || self.snapshot.as_ref().is_some_and(repeats) {
            let mut snapshot = ScannedText::default();
            snapshot.push(more);
            self.snapshot = Some(snapshot);
        } else if let Some(snapshot) = &mut self.snapshot {
            snapshot.push(more);
        }
        self.appended.push(more);
    }

    /// Returns only the chosen text.
    pub(super) fn settled(&self) -> Self {
        Self { appended: self.chosen().clone(), snapshot: None }
    }

    /// Appends text to these arguments if the result can be arguments. Returns whether it was appended.
    pub(super) fn try_join(&mut self, more: &str) -> bool {
        let mut joined = self.chosen().clone();
        joined.push(more);
        let fits = joined.scanner.progress() != Progress::Broken;
        if fits {
            *self = Self { appended: joined, snapshot: None };
        }
        fits
    }

    pub(super) fn progress(&self) -> Progress {
        match (self.appended.scanner.progress(), &self.snapshot) {
            (Progress::Broken, Some(snapshot)) => snapshot.scanner.progress(),
            (progress, _) => progress,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.chosen().text
    }

    /// Returns whether these arguments are equal to `others`, ignoring white space around them.
    pub(super) fn are(&self, others: &str) -> bool {
        self.text().trim() == others.trim()
    }

    pub(super) fn is_empty_object(&self) -> bool {
        self.text().trim() == "{}"
    }

    fn chosen(&self) -> &ScannedText {
        let Some(snapshot) = &self.snapshot else { return &self.appended };
        match (self.appended.scanner.progress(), snapshot.scanner.progress()) {
            (Progress::Broken, Progress::Open)
            | (Progress::Broken | Progress::Open, Progress::Whole) => snapshot,
            _ => &self.appended,
        }
    }
}

impl ScannedText {
    fn push(&mut self, more: &str) {
        self.text.push_str(more);
        self.scanner.push(more);
    }
}

/// Returns whether text contains no arguments.
fn is_nothing(text: &str) -> bool {
    matches!(text.trim(), "" | "null")
}

/// Recognizes a prefix of a JSON value, reading each byte once. It does not check numbers,
/// literals or escapes; the final parse checks them.
#[derive(Clone, Default)]
struct JsonScanner {
    /// The open containers; `true` for an object.
    open: Vec<bool>,
    expected: Expected,
    token: Token,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Expected {
    #[default]
    Root,
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
    /// An error was found.
    Broken,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Token {
    #[default]
    None,
    String {
        is_key: bool,
        is_escaped: bool,
    },
    /// A number, `true`, `false` or `null`.
    Literal,
}

impl JsonScanner {
    fn push(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.read(byte));
    }

    fn progress(&self) -> Progress {
        match self.expected {
            Expected::Broken => Progress::Broken,
            Expected::Nothing => Progress::Whole,
            Expected::Root if self.token == Token::None => Progress::Empty,
            _ => Progress::Open,
        }
    }

    fn read(&mut self, byte: u8) {
        match self.token {
            Token::String { is_key, is_escaped: true } => {
                self.token = Token::String { is_key, is_escaped: false };
            }
            Token::String { is_key, .. } => match byte {
                b'\\' => self.token = Token::String { is_key, is_escaped: true },
                b'"' => {
                    self.token = Token::None;
                    if is_key { self.expected = Expected::Colon } else { self.end_value() }
                }
                _ => {}
            },
            Token::Literal if is_literal(byte) => {}
            Token::Literal => {
                self.token = Token::None;
                self.end_value();
                self.read_structure(byte);
            }
            Token::None => self.read_structure(byte),
        }
    }

    fn read_structure(&mut self, byte: u8) {
        use Expected::{Colon, CommaOrEnd, Key, KeyOrEnd, Root, Value, ValueOrEnd};
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return;
        }
        let in_object = self.open.last() == Some(&true);
        match (self.expected, byte) {
            (Root | Value | ValueOrEnd, b'{' | b'[') if self.open.len() < MAX_DEPTH => {
                self.open.push(byte == b'{');
                self.expected = if byte == b'{' { KeyOrEnd } else { ValueOrEnd };
            }
            (Root | Value | ValueOrEnd, b'"') => {
                self.token = Token::String { is_key: false, is_escaped: false };
            }
            (Root | Value | ValueOrEnd, byte) if is_literal(byte) => self.token = Token::Literal,
            (Key | KeyOrEnd, b'"') => {
                self.token = Token::String { is_key: true, is_escaped: false };
            }
            (Colon, b':') => self.expected = Value,
            (CommaOrEnd, b',') => self.expected = if in_object { Key } else { Value },
            (KeyOrEnd, b'}') | (ValueOrEnd, b']') => self.end_container(),
            (CommaOrEnd, b'}') if in_object => self.end_container(),
            (CommaOrEnd, b']') if !in_object => self.end_container(),
            _ => self.expected = Expected::Broken,
        }
    }

    fn end_container(&mut self) {
        self.open.pop();
        self.end_value();
    }

    fn end_value(&mut self) {
        self.expected = if self.open.is_empty() { Expected::Nothing } else { Expected::CommaOrEnd };
    }
}

fn is_literal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join_pieces(pieces: &[&str]) -> ArgumentsText {
        let mut text = ArgumentsText::default();
        pieces.iter().for_each(|piece| text.add(piece));
        text
    }

    #[test]
    fn progress_of_every_prefix_is_that_of_a_parser() {
        let whole = r#"{"a":[1,{"b":"\"}\\","c":null},[],true],"d":{},"ü":-1.5e3}"#;
        for at in 0..whole.len() {
            let Some(start) = whole.get(..at) else { continue };
            let expected = if at == 0 { Progress::Empty } else { Progress::Open };
            assert_eq!(join_pieces(&[start]).progress(), expected, "{start}");
        }
        assert_eq!(join_pieces(&[whole]).progress(), Progress::Whole);
        assert_eq!(join_pieces(&[whole, " \n"]).progress(), Progress::Whole);
        for broken in [r#"{"a"{"#, "{}}", "{1", r#"{"a":]"#, "[}", r#"{"a" "b"#, r#"{,"#, "}"] {
            assert_eq!(join_pieces(&[broken]).progress(), Progress::Broken, "{broken}");
        }
        assert_eq!(join_pieces(&["[".repeat(129).as_str()]).progress(), Progress::Broken);
    }

    #[test]
    fn snapshots_replace_each_other_and_pieces_are_appended() {
        for pieces in [
            &[r#"{"p":"#, "1}"][..],
            &[r#"{"p""#, r#"{"p":1"#, r#"{"p":1}"#],
            &[r#"{"p":1}"#, r#"{"p":1}"#],
            &[r#"{"p":"#, "1}", r#"{"p":1}"#],
            &["{}", r#"{"p":1}"#],
            &["{}", r#"{"p":"#, "1}"],
            &[r#"{"p":1}"#, "null", "", "\n"],
        ] {
            assert_eq!(join_pieces(pieces).text(), r#"{"p":1}"#, "{pieces:?}");
        }
        // A piece may look like a snapshot.
        assert_eq!(join_pieces(&[r#"{"a":"#, r#"{"a":1}"#, "}"]).text(), r#"{"a":{"a":1}}"#);
    }
}
