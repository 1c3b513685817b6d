//! The outline of a message: the parts of its top level that identify it.

use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::Value;

/// The maximum length of a top-level token that is buffered while scanning, in bytes, including quotes.
const MAX_TOKEN_BYTES: usize = 1024;

/// The maximum length of a request id, in bytes. Default is 256: the id is kept while the request runs, and is copied
/// into the response.
pub const MAX_ID_BYTES: usize = 256;

/// The `id` member of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Id {
    /// The member is missing.
    #[default]
    Absent,
    /// The value is neither a string of at most [`MAX_ID_BYTES`] nor an integer.
    Unusable,
    /// A string or an integer.
    Usable(RequestId),
}

impl Id {
    /// Parses the value of the member.
    pub(crate) fn from_value(value: Value) -> Self {
        match RequestId::deserialize(value) {
            Ok(RequestId::String(text)) if text.len() > MAX_ID_BYTES => Self::Unusable,
            Ok(id) => Self::Usable(id),
            Err(_) => Self::Unusable,
        }
    }

    /// Parses the raw value of the member.
    pub fn from_raw(raw: &str) -> Self {
        if let Ok(number) = raw.parse() {
            return Self::Usable(RequestId::Number(number));
        }
        serde_json::from_str(raw).map_or(Self::Unusable, Self::from_value)
    }

    /// Returns the id, if a response can contain it.
    pub fn usable(self) -> Option<RequestId> {
        match self {
            Self::Usable(id) => Some(id),
            Self::Absent | Self::Unusable => None,
        }
    }
}

/// The parts of a message that determine how its rejection is reported.
#[derive(Debug, Default, PartialEq)]
pub struct Outline {
    /// The `id` member.
    pub id: Id,
    /// Whether there is a `jsonrpc` member, with any value.
    pub versioned: bool,
    /// Whether there is a `method` member that is a string.
    pub method: bool,
    /// Whether there is a `result` or `error` member.
    pub answer: bool,
}

/// Finds the outline of an object that is too long to buffer, from pieces of any size.
#[derive(Debug, Default)]
pub struct Scanner {
    outline: Outline,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The member whose value is being read.
    key: MemberKey,
    /// The text of the current top-level key or value, truncated at the limit.
    token: Vec<u8>,
    /// The number of bytes scanned.
    scanned: u64,
}

#[derive(Debug, Default)]
enum MemberKey {
    #[default]
    Other,
    Id,
    Method,
}

impl Scanner {
    /// Scans the next piece of the line.
    pub(crate) fn scan(&mut self, piece: &[u8]) {
        self.scanned += piece.len() as u64;
        for byte in piece {
            if self.in_string {
                self.string_byte(*byte);
            } else {
                self.plain_byte(*byte);
            }
        }
    }

    /// Returns the number of bytes scanned.
    pub(crate) fn scanned(&self) -> u64 {
        self.scanned
    }

    /// Scans the last piece and returns the outline.
    pub fn finish(mut self, piece: &[u8]) -> Outline {
        self.scan(piece);
        self.outline
    }

    fn string_byte(&mut self, byte: u8) {
        self.keep(byte);
        if self.escaped {
            self.escaped = false;
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
        }
    }

    fn plain_byte(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                // The bracket of a nested value is kept, so that it is not mistaken for a valid id.
                self.keep(byte);
                self.depth += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.end_key(),
            b',' if self.depth == 1 => self.end_value(),
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < MAX_TOKEN_BYTES {
            self.token.push(byte);
        }
    }

    fn end_key(&mut self) {
        self.key = match self.token.as_slice() {
            br#""id""# => MemberKey::Id,
            br#""method""# => MemberKey::Method,
            br#""jsonrpc""# => {
                self.outline.versioned = true;
                MemberKey::Other
            }
            br#""result""# | br#""error""# => {
                // Recorded before the value, which may be malformed.
                self.outline.answer = true;
                MemberKey::Other
            }
            _ => MemberKey::Other,
        };
        self.token.clear();
    }

    fn end_value(&mut self) {
        match std::mem::take(&mut self.key) {
            MemberKey::Id => {
                let value = serde_json::from_slice(&self.token);
                self.outline.id = value.map_or(Id::Unusable, Id::from_value);
            }
            MemberKey::Method => self.outline.method = self.token.starts_with(b"\""),
            MemberKey::Other => {}
        }
        self.token.clear();
    }
}
