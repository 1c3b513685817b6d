//! Percent-encoding, as RFC 3986 has it.

/// Letters, digits and `-._~`: never encoded.
pub(super) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Delimiters: their encoding means something else than they do.
pub(super) fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

/// The byte that `%` and two hexadecimal digits at the start of `text` stand for.
pub(super) fn triplet(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *text else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Appends a byte encoded.
fn push_encoded(byte: u8, into: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    into.push('%');
    into.push(char::from(DIGITS[usize::from(byte >> 4)]));
    into.push(char::from(DIGITS[usize::from(byte & 15)]));
}

/// Appends a value. With `keep_reserved`, delimiters and what is encoded already stay as they are.
pub(super) fn encode(value: &str, keep_reserved: bool, into: &mut String) {
    let bytes = value.as_bytes();
    for (index, &byte) in bytes.iter().enumerate() {
        let is_kept = keep_reserved && (is_reserved(byte) || triplet(&bytes[index..]).is_some());
        if is_unreserved(byte) || is_kept {
            into.push(char::from(byte));
        } else {
            push_encoded(byte, into);
        }
    }
}

/// A URI in which equal ones are alike: only what must be encoded is, in capitals. `None` if a `%` is left alone.
pub(super) fn normalize(uri: &str) -> Option<String> {
    let mut bytes = uri.as_bytes();
    let mut normal = String::with_capacity(bytes.len());
    while let Some((&byte, rest)) = bytes.split_first() {
        if byte == b'%' {
            let decoded = triplet(bytes)?;
            if is_unreserved(decoded) {
                normal.push(char::from(decoded));
            } else {
                push_encoded(decoded, &mut normal);
            }
            bytes = &bytes[3..];
            continue;
        }
        if is_unreserved(byte) || is_reserved(byte) {
            normal.push(char::from(byte));
        } else {
            push_encoded(byte, &mut normal);
        }
        bytes = rest;
    }
    Some(normal)
}

/// The text that was encoded, if it is text.
pub(super) fn decode(encoded: &str) -> Option<String> {
    let mut bytes = encoded.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    while let Some((&byte, rest)) = bytes.split_first() {
        if let Some(byte) = triplet(bytes) {
            decoded.push(byte);
            bytes = &bytes[3..];
        } else {
            decoded.push(byte);
            bytes = rest;
        }
    }
    String::from_utf8(decoded).ok()
}
