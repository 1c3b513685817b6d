//! What the top level of a message tells without reading the rest.

use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::Value;

/// Longest text of a top-level member that is held while scanning, quotes included.
const MAX_TOKEN_BYTES: usize = 1024;

/// Longest id of a request, in bytes. Default is 256: it is kept while the request runs, and is copied
/// into its answer.
pub const MAX_ID_BYTES: usize = 256;

/// The `id` member of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Id {
    /// There is no such member.
    #[default]
    Absent,
    /// It is neither a string of at most [`MAX_ID_BYTES`] nor an integer.
    Unusable,
    /// A string or an integer.
    Usable(RequestId),
}

impl Id {
    /// Judges the value of the member.
    pub(crate) fn of(value: Value) -> Self {
        match RequestId::deserialize(value) {
            Ok(RequestId::String(text)) if text.len() > MAX_ID_BYTES => Self::Unusable,
            Ok(id) => Self::Usable(id),
            Err(_) => Self::Unusable,
        }
    }

    /// Judges the value of the member, as it stands in the message.
    pub fn of_raw(raw: &str) -> Self {
        if let Ok(number) = raw.parse() {
            return Self::Usable(RequestId::Number(number));
        }
        serde_json::from_str(raw).map_or(Self::Unusable, Self::of)
    }

    /// The id, if an answer can carry it.
    pub fn usable(self) -> Option<RequestId> {
        match self {
            Self::Usable(id) => Some(id),
            Self::Absent | Self::Unusable => None,
        }
    }
}

/// Enough of a message to decide who has to hear that it could not be read.
#[derive(Debug, Default, PartialEq)]
pub struct Outline {
    /// The `id` member.
    pub id: Id,
    /// There is a `jsonrpc`, of whatever version.
    pub versioned: bool,
    /// There is a `method` that is a string.
    pub method: bool,
    /// There is a `result` or an `error`.
    pub answer: bool,
}

/// Finds the outline of an object that is too long to keep, in whatever pieces it comes.
#[derive(Debug, Default)]
pub struct Scanner {
    outline: Outline,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The member whose value is being read.
    key: MemberKey,
    /// Text of the current key or value of the top level, cut off at its limit.
    token: Vec<u8>,
    /// Bytes that were taken in.
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
    /// Takes in the next piece of the line.
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

    /// Bytes that were taken in.
    pub(crate) fn scanned(&self) -> u64 {
        self.scanned
    }

    /// Takes in the last piece and tells what was found.
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
                // A nested value leaves its bracket behind, so that it is no usable id.
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
                // Noted before the value: it may be what is broken.
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
                self.outline.id = value.map_or(Id::Unusable, Id::of);
            }
            MemberKey::Method => self.outline.method = self.token.starts_with(b"\""),
            MemberKey::Other => {}
        }
        self.token.clear();
    }
}
