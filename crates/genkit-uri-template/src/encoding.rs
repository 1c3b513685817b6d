//! Percent-encoding as defined by RFC 3986.

use std::borrow::Cow;

/// Returns whether a byte is a letter, a digit or one of `-._~`, which are never encoded.
pub(crate) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Returns whether a byte is a reserved character: a delimiter, whose encoded form has a different meaning.
pub(crate) fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

/// Returns the byte encoded by `%` and two hexadecimal digits at the start of `text`.
pub(crate) fn decode_triplet(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *text else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Appends a byte in encoded form.
fn push_encoded(byte: u8, into: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    into.push('%');
    into.push(char::from(DIGITS[usize::from(byte >> 4)]));
    into.push(char::from(DIGITS[usize::from(byte & 15)]));
}

/// Appends a value in encoded form. With `keep_reserved`, reserved characters and existing percent-encodings are kept.
pub(crate) fn append_encoded(value: &str, keep_reserved: bool, into: &mut String) {
    let bytes = value.as_bytes();
    for (index, &byte) in bytes.iter().enumerate() {
        let is_kept =
            keep_reserved && (is_reserved(byte) || decode_triplet(&bytes[index..]).is_some());
        if is_unreserved(byte) || is_kept {
            into.push(char::from(byte));
        } else {
            push_encoded(byte, into);
        }
    }
}

/// Normalizes a URI so that equivalent URIs are equal: only characters that require it are encoded, with uppercase
/// digits. Returns `None` if a `%` is not followed by two hexadecimal digits.
pub(crate) fn normalize_uri(uri: &str) -> Option<Cow<'_, str>> {
    let is_kept = |byte: u8| is_unreserved(byte) || is_reserved(byte);
    let Some(first) = uri.bytes().position(|byte| !is_kept(byte)) else {
        return Some(Cow::Borrowed(uri));
    };
    let (kept, rest) = uri.split_at(first);
    let mut bytes = rest.as_bytes();
    let mut normal = String::with_capacity(uri.len());
    normal.push_str(kept);
    while let Some((&byte, rest)) = bytes.split_first() {
        if byte == b'%' {
            let decoded = decode_triplet(bytes)?;
            if is_unreserved(decoded) {
                normal.push(char::from(decoded));
            } else {
                push_encoded(decoded, &mut normal);
            }
            bytes = &bytes[3..];
            continue;
        }
        if is_kept(byte) {
            normal.push(char::from(byte));
        } else {
            push_encoded(byte, &mut normal);
        }
        bytes = rest;
    }
    Some(Cow::Owned(normal))
}

/// Decodes a string. Returns `None` if the result is not UTF-8.
pub(crate) fn decode_percent(encoded: &str) -> Option<String> {
    let mut bytes = encoded.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    while let Some((&byte, rest)) = bytes.split_first() {
        if let Some(byte) = decode_triplet(bytes) {
            decoded.push(byte);
            bytes = &bytes[3..];
        } else {
            decoded.push(byte);
            bytes = rest;
        }
    }
    String::from_utf8(decoded).ok()
}
