//! Parses the lines of a body: line ends, SSE fields, and the end of a JSON body.

/// The fields that are interpreted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Data,
    Event,
    Id,
    Retry,
    /// Another field, a comment, a blank line, or a line that is not a field.
    Other,
}

const FIELDS: [(&[u8], Field); 4] = [
    (b"data", Field::Data),
    (b"event", Field::Event),
    (b"id", Field::Id),
    (b"retry", Field::Retry),
];

/// Returns the field of a line, and the offset of its value.
pub(super) fn read_field(line: &[u8]) -> (Field, usize) {
    for (name, field) in FIELDS {
        let Some(rest) = line.strip_prefix(name) else {
            continue;
        };
        return match rest {
            [] => (field, name.len()),
            [b':', b' ', ..] => (field, name.len() + 2),
            [b':', ..] => (field, name.len() + 1),
            _ => (Field::Other, 0),
        };
    }
    (Field::Other, 0)
}

/// Returns the offset of the value of an `error` field.
pub(super) fn error_field(line: &[u8]) -> Option<usize> {
    let rest = line.strip_prefix(b"error:")?;
    Some(line.len() - rest.strip_prefix(b" ").unwrap_or(rest).len())
}

/// Returns whether a line starts a JSON body instead of an SSE event.
pub(super) fn starts_json(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Returns the offset of the first CR or LF.
pub(super) fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(b'\n', b'\r', bytes)
}

/// Counts the brackets of a JSON text to find its end.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Brackets {
    /// Returns the offset after the outermost closing bracket, if it is in `bytes`.
    pub(super) fn scan_brackets(&mut self, bytes: &[u8]) -> Option<usize> {
        for (index, byte) in bytes.iter().enumerate() {
            if self.escaped {
                self.escaped = false;
                continue;
            }
            match byte {
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
