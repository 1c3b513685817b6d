//! A reader of JSON that forgives: what models write, and what is not there yet.

use serde_json::{Map, Value};

use super::number::number;

/// How many arrays and objects may be inside each other. Default is 128, as in serde_json.
pub(super) const MAX_DEPTH: usize = 128;

/// Where a reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadState {
    /// All was well so far.
    Whole,
    /// The text ended too early.
    Cut,
    /// This is not JSON.
    Broken,
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// Reads JSON5: also single quotes, names without quotes, trailing commas, comments, numbers as in JavaScript, and raw
/// line feeds in strings.
///
/// Once the state is no longer [`ReadState::Whole`] nothing more is read, and what was read so far comes back.
pub(super) struct JsonReader<'a> {
    text: &'a str,
    pub at: usize,
    pub state: ReadState,
    /// Whether there was a name with its colon, or a first element: so this was meant to be JSON.
    pub is_meant: bool,
    depth: usize,
}

impl<'a> JsonReader<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, state: ReadState::Whole, is_meant: false, depth: 0 }
    }

    /// The value that begins here, as far as it is certain.
    pub(super) fn value(&mut self) -> Option<Value> {
        self.skip_blank();
        match self.peek()? {
            '{' => self.nested(Self::object),
            '[' => self.nested(Self::array),
            '"' | '\'' => self.string().map(Value::String),
            '+' | '-' | '.' | '0'..='9' | 'I' | 'N' => self.number(),
            _ => self.literal(),
        }
    }

    /// Passes over white space and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let end = match trimmed.as_bytes() {
                [b'/', b'/', ..] => trimmed.find(['\n', '\r', '\u{2028}', '\u{2029}']),
                [b'/', b'*', ..] => trimmed[2..].find("*/").map(|end| end + 4),
                // The text ends where a comment begins.
                [b'/'] => None,
                _ => return,
            };
            // An open comment runs to the end of the text.
            self.at += end.unwrap_or(trimmed.len());
        }
    }

    /// The next character; at the end of the text the state is `Cut`.
    pub(super) fn peek(&mut self) -> Option<char> {
        if self.state != ReadState::Whole {
            return None;
        }
        let next = self.rest().chars().next();
        if next.is_none() {
            self.state = ReadState::Cut;
        }
        next
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn stop<T>(&mut self, state: ReadState) -> Option<T> {
        // The first reason counts.
        if self.state == ReadState::Whole {
            self.state = state;
        }
        None
    }

    fn nested(&mut self, read: fn(&mut Self) -> Value) -> Option<Value> {
        if self.depth == MAX_DEPTH {
            return self.stop(ReadState::TooDeep);
        }
        self.at += 1;
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        Some(value)
    }

    fn object(&mut self) -> Value {
        let mut members = Map::new();
        self.list('}', |reader| {
            let name = reader.name()?;
            reader.skip_blank();
            if reader.peek()? != ':' {
                return reader.stop(ReadState::Broken);
            }
            reader.at += 1;
            reader.is_meant = true;
            // A name without a value is not certain to mean anything.
            members.insert(name, reader.value()?);
            Some(())
        });
        Value::Object(members)
    }

    fn array(&mut self) -> Value {
        let mut elements = Vec::new();
        self.list(']', |reader| {
            elements.push(reader.value()?);
            reader.is_meant |= reader.state == ReadState::Whole;
            Some(())
        });
        Value::Array(elements)
    }

    /// Reads entries with commas between them, up to `close`.
    fn list(&mut self, close: char, mut entry: impl FnMut(&mut Self) -> Option<()>) {
        while self.state == ReadState::Whole {
            self.skip_blank();
            if self.peek() == Some(close) {
                self.at += 1;
                return;
            }
            if entry(self).is_none() {
                return;
            }
            self.skip_blank();
            match self.peek() {
                Some(',') => self.at += 1,
                Some(next) if next == close => {}
                Some(_) => self.state = ReadState::Broken,
                None => {}
            }
        }
    }

    /// The name of a member, whole.
    fn name(&mut self) -> Option<String> {
        if matches!(self.peek()?, '"' | '\'') {
            return self.string().filter(|_| self.state == ReadState::Whole);
        }
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let rest = self.rest();
        let end = rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
        if end == 0 {
            return self.stop(ReadState::Broken);
        }
        self.at += end;
        Some(rest[..end].to_owned())
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = self.rest();
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
            if self.escape(&mut string).is_none() {
                self.stop::<()>(ReadState::Cut);
                return Some(string);
            }
        }
    }

    /// Reads what is after a backslash; nothing if it is cut.
    fn escape(&mut self, string: &mut String) -> Option<()> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        match next {
            'n' => string.push('\n'),
            't' => string.push('\t'),
            'r' => string.push('\r'),
            'b' => string.push('\u{8}'),
            'f' => string.push('\u{c}'),
            'v' => string.push('\u{b}'),
            '0' => string.push('\0'),
            'x' => string.push(char::from_u32(self.hex(2)?).unwrap_or(char::REPLACEMENT_CHARACTER)),
            'u' => return self.unit(string),
            // A line that goes on.
            '\r' => self.at += usize::from(self.rest().starts_with('\n')),
            '\n' | '\u{2028}' | '\u{2029}' => {}
            other => string.push(other),
        }
        Some(())
    }

    /// Reads one UTF-16 unit, or two that belong together. Half a pair becomes U+FFFD.
    fn unit(&mut self, string: &mut String) -> Option<()> {
        let first = self.hex(4)?;
        let mut units = [first as u16, 0];
        let mut count = 1;
        if (0xD800..0xDC00).contains(&first) {
            let rest = self.rest();
            if "\\u".starts_with(rest) {
                return None;
            }
            let back = self.at;
            if rest.starts_with("\\u") {
                self.at += 2;
                let second = self.hex(4)?;
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

    /// Reads hexadecimal digits; nothing if the text ends within them or they are none.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len()).min(count);
        if end < count {
            let state = if end == rest.len() { ReadState::Cut } else { ReadState::Broken };
            return self.stop(state);
        }
        self.at += count;
        u32::from_str_radix(&rest[..count], 16).ok()
    }

    /// A number; at the end of the text it may go on, and is not certain.
    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let Some(end) = rest.find(|c| !is_inside(c)) else {
            return self.stop(ReadState::Cut);
        };
        match number(&rest[..end]) {
            Some(value) => {
                self.at += end;
                Some(value)
            }
            None => self.stop(ReadState::Broken),
        }
    }

    /// `true`, `false`, `null`; the beginning of one is as good as the whole.
    fn literal(&mut self) -> Option<Value> {
        let rest = self.rest();
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
        self.stop(ReadState::Broken)
    }
}
