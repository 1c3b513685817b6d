//! A lenient JSON parser for text that models write, which may be incomplete.

use serde_json::{Map, Value};

use super::number::parse_number;

/// The maximum nesting of arrays and objects. Default is 128, as in serde_json.
pub(super) const MAX_DEPTH: usize = 128;

/// The state of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadState {
    /// No error so far.
    Whole,
    /// The text is truncated.
    Cut,
    /// The text is not JSON.
    Broken,
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// A parser for JSON5, which also accepts single quotes, unquoted names, trailing commas, comments, JavaScript numbers,
/// and raw line feeds in strings.
///
/// When the state is no longer [`ReadState::Whole`], parsing stops and returns the value that was parsed so far.
pub(super) struct JsonReader<'a> {
    text: &'a str,
    pub at: usize,
    pub state: ReadState,
    /// Whether a name with a colon or a first element was found, so the text was intended as JSON.
    pub looks_like_json: bool,
    depth: usize,
}

impl<'a> JsonReader<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, state: ReadState::Whole, looks_like_json: false, depth: 0 }
    }

    /// Parses the value at this position, without its incomplete parts.
    pub(super) fn read_value(&mut self) -> Option<Value> {
        self.skip_blank();
        match self.peek_char()? {
            '{' => self.read_nested(Self::read_object),
            '[' => self.read_nested(Self::read_array),
            '"' | '\'' => self.read_string().map(Value::String),
            '+' | '-' | '.' | '0'..='9' | 'I' | 'N' => self.read_number(),
            _ => self.read_literal(),
        }
    }

    /// Skips white space and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            let rest = self.remaining_text();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let end = match trimmed.as_bytes() {
                [b'/', b'/', ..] => trimmed.find(['\n', '\r', '\u{2028}', '\u{2029}']),
                [b'/', b'*', ..] => trimmed[2..].find("*/").map(|end| end + 4),
                // The text ends at the start of a comment.
                [b'/'] => None,
                _ => return,
            };
            // An unclosed comment extends to the end of the text.
            self.at += end.unwrap_or(trimmed.len());
        }
    }

    /// Returns the next character. At the end of the text, the state becomes `Cut`.
    pub(super) fn peek_char(&mut self) -> Option<char> {
        if self.state != ReadState::Whole {
            return None;
        }
        let next = self.remaining_text().chars().next();
        if next.is_none() {
            self.state = ReadState::Cut;
        }
        next
    }

    fn remaining_text(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn stop_reading<T>(&mut self, state: ReadState) -> Option<T> {
        // Keep the first reason.
        if self.state == ReadState::Whole {
            self.state = state;
        }
        None
    }

    fn read_nested(&mut self, read: fn(&mut Self) -> Value) -> Option<Value> {
        if self.depth == MAX_DEPTH {
            return self.stop_reading(ReadState::TooDeep);
        }
        self.at += 1;
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        Some(value)
    }

    fn read_object(&mut self) -> Value {
        let mut members = Map::new();
        self.read_list('}', |reader| {
            let name = reader.read_name()?;
            reader.skip_blank();
            if reader.peek_char()? != ':' {
                return reader.stop_reading(ReadState::Broken);
            }
            reader.at += 1;
            reader.looks_like_json = true;
            // A name without a value may still be incomplete.
            members.insert(name, reader.read_value()?);
            Some(())
        });
        Value::Object(members)
    }

    fn read_array(&mut self) -> Value {
        let mut elements = Vec::new();
        self.read_list(']', |reader| {
            elements.push(reader.read_value()?);
            reader.looks_like_json |= reader.state == ReadState::Whole;
            Some(())
        });
        Value::Array(elements)
    }

    /// Parses entries separated by commas, up to `close`.
    fn read_list(&mut self, close: char, mut entry: impl FnMut(&mut Self) -> Option<()>) {
        while self.state == ReadState::Whole {
            self.skip_blank();
            if self.peek_char() == Some(close) {
                self.at += 1;
                return;
            }
            if entry(self).is_none() {
                return;
            }
            self.skip_blank();
            match self.peek_char() {
                Some(',') => self.at += 1,
                Some(next) if next == close => {}
                Some(_) => self.state = ReadState::Broken,
                None => {}
            }
        }
    }

    /// Parses the complete name of a member.
    fn read_name(&mut self) -> Option<String> {
        if matches!(self.peek_char()?, '"' | '\'') {
            return self.read_string().filter(|_| self.state == ReadState::Whole);
        }
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let rest = self.remaining_text();
        let end = rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
        if end == 0 {
            return self.stop_reading(ReadState::Broken);
        }
        self.at += end;
        Some(rest[..end].to_owned())
    }

    fn read_string(&mut self) -> Option<String> {
        let quote = self.peek_char()?;
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = self.remaining_text();
            let Some(end) = rest.find([quote, '\\']) else {
                string.push_str(rest);
                self.at = self.text.len();
                self.state = ReadState::Cut;
                return Some(string);
            };
            string.push_str(&rest[..end]);
            self.at += end + 1;
            if rest[end..].starts_with(quote) {
                return Some(string);
            }
            if self.read_escape(&mut string).is_none() {
                self.stop_reading::<()>(ReadState::Cut);
                return Some(string);
            }
        }
    }

    /// Parses the text after a backslash. Returns `None` if it is truncated.
    fn read_escape(&mut self, string: &mut String) -> Option<()> {
        let next = self.remaining_text().chars().next()?;
        self.at += next.len_utf8();
        match next {
            'n' => string.push('\n'),
            't' => string.push('\t'),
            'r' => string.push('\r'),
            'b' => string.push('\u{8}'),
            'f' => string.push('\u{c}'),
            'v' => string.push('\u{b}'),
            '0' => string.push('\0'),
            'x' => string
                .push(char::from_u32(self.read_hex(2)?).unwrap_or(char::REPLACEMENT_CHARACTER)),
            'u' => return self.read_unit(string),
            // An escaped line break continues the string.
            '\r' => self.at += usize::from(self.remaining_text().starts_with('\n')),
            '\n' | '\u{2028}' | '\u{2029}' => {}
            other => string.push(other),
        }
        Some(())
    }

    /// Parses one UTF-16 unit, or a surrogate pair. An unpaired surrogate becomes U+FFFD.
    fn read_unit(&mut self, string: &mut String) -> Option<()> {
        let first = self.read_hex(4)?;
        let mut units = [first as u16, 0];
        let mut count = 1;
        if (0xD800..0xDC00).contains(&first) {
            let rest = self.remaining_text();
            if "\\u".starts_with(rest) {
                return None;
            }
            let back = self.at;
            if rest.starts_with("\\u") {
                self.at += 2;
                let second = self.read_hex(4)?;
                if (0xDC00..0xE000).contains(&second) {
                    units[1] = second as u16;
                    count = 2;
                } else {
                    self.at = back;
                }
            }
        }
        let read = char::decode_utf16(units[..count].iter().copied());
        string.extend(read.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        Some(())
    }

    /// Parses hexadecimal digits. Returns `None` if the text ends too early or other characters follow.
    fn read_hex(&mut self, count: usize) -> Option<u32> {
        let rest = self.remaining_text();
        let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len()).min(count);
        if end < count {
            let state = if end == rest.len() { ReadState::Cut } else { ReadState::Broken };
            return self.stop_reading(state);
        }
        self.at += count;
        u32::from_str_radix(&rest[..count], 16).ok()
    }

    /// Parses a number. A number at the end of the text is omitted, because more digits may follow.
    fn read_number(&mut self) -> Option<Value> {
        let rest = self.remaining_text();
        let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let Some(end) = rest.find(|c| !is_inside(c)) else {
            return self.stop_reading(ReadState::Cut);
        };
        match parse_number(&rest[..end]) {
            Some(value) => {
                self.at += end;
                Some(value)
            }
            None => self.stop_reading(ReadState::Broken),
        }
    }

    /// Parses `true`, `false` or `null`. A prefix at the end of the text is accepted.
    fn read_literal(&mut self) -> Option<Value> {
        let rest = self.remaining_text();
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let word = &rest[..end];
        let literals =
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)];
        for (name, value) in literals {
            if word == name {
                self.at += end;
                return Some(value);
            }
            if end == rest.len() && end > 0 && name.starts_with(word) {
                self.at += end;
                self.state = ReadState::Cut;
                return Some(value);
            }
        }
        self.stop_reading(ReadState::Broken)
    }
}
