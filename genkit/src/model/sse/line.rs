//! One line of a body: where it ends, and what it is.

/// Bytes that are searched for a line's end at once; the compiler makes vector code of it.
const LANES: usize = 64;

/// The fields that are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Data,
    Event,
    /// Another field, a comment, a blank line, or no field.
    Other,
}

/// The field of a line, and where its value begins.
pub(super) fn field(line: &[u8]) -> (Field, usize) {
    for (name, field) in [(&b"data"[..], Field::Data), (b"event", Field::Event)] {
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

/// Whether a line is not SSE but the beginning of JSON.
pub(super) fn begins_bare(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// The offset of the first CR or LF.
pub(super) fn line_end(bytes: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let (chunks, rest) = bytes.as_chunks::<LANES>();
    for (index, chunk) in chunks.iter().enumerate() {
        let mut found = 0;
        for byte in chunk {
            // Numbers, since truth values would be tested one by one.
            found |= u8::from(*byte == b'\n') | u8::from(*byte == b'\r');
        }
        if found != 0 {
            return chunk.iter().position(is_end).map(|offset| index * LANES + offset);
        }
    }
    rest.iter().position(is_end).map(|offset| chunks.len() * LANES + offset)
}
