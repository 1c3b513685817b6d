//! Matching of secrets whose characters are escaped as in JSON, URLs or HTML, in any combination, even repeatedly.

use super::secret::line_break;

/// The maximum number of backslashes before an escaped character: text that is escaped as JSON three times has 7.
pub(crate) const MAX_SLASHES: usize = 7;

/// The names of characters in HTML.
const ENTITIES: [(&str, char); 5] =
    [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];

/// Matches the longest possible prefix of `value` at the start of `text`. Returns the number of matched bytes in
/// `text`, and the length of the prefix. Each character may be escaped, and line breaks may be inserted.
pub(crate) fn match_escaped(value: &str, text: &[u8]) -> Option<(usize, usize)> {
    let (mut at, mut matched, mut end) = (0, 0, 0);
    for part in value.chars() {
        let mut next = escaped_length(part, &text[at..]);
        if next.is_none() && matched > 0 {
            at += line_break(&text[at..]);
            next = escaped_length(part, &text[at..]);
        }
        let Some(length) = next else { break };
        at += length;
        matched += part.len_utf8();
        end = at;
    }
    (matched > 0).then_some((end, matched))
}

/// Returns the length of the character `part` at the start of `text`, in any escaped form.
fn escaped_length(part: char, text: &[u8]) -> Option<usize> {
    let mut buffer = [0; 4];
    let raw = part.encode_utf8(&mut buffer).as_bytes();
    if part != '\\' && text.get(..raw.len())?.eq_ignore_ascii_case(raw) {
        // `&amp;` begins with the character that it encodes.
        return Some(match_html_entity(part, text).unwrap_or(raw.len()));
    }
    match text.first()? {
        b'\\' => match_backslash_escape(part, raw, text),
        b'%' => match_percent_escape(raw, text),
        b'&' => match_html_entity(part, text),
        _ => None,
    }
}

/// Matches `\"`, `\/`, `\\` and `\u002B`, with more backslashes if the text was escaped several times.
fn match_backslash_escape(part: char, raw: &[u8], text: &[u8]) -> Option<usize> {
    let slashes = text.iter().take(MAX_SLASHES + 1).take_while(|byte| **byte == b'\\').count();
    let rest = &text[slashes..];
    if rest.first() == Some(&b'u') {
        let mut units = [0; 2];
        let mut length = slashes;
        for (index, unit) in part.encode_utf16(&mut units).iter().enumerate() {
            let again = if index > 0 { slashes } else { 0 };
            let start = length + again + 1;
            let digits = std::str::from_utf8(text.get(start..start + 4)?).ok()?;
            if u16::from_str_radix(digits, 16).ok().map(fold) != Some(fold(*unit)) {
                return None;
            }
            length = start + 4;
        }
        return Some(length);
    }
    match part {
        '\\' => Some(slashes),
        '"' | '/' | '\'' if rest.starts_with(raw) => Some(slashes + 1),
        _ => None,
    }
}

/// Converts an ASCII letter to lower case.
fn fold(unit: u16) -> u16 {
    u8::try_from(unit).map_or(unit, |byte| byte.to_ascii_lowercase().into())
}

/// Matches `%2B`, and `%252B` if the text was encoded several times.
fn match_percent_escape(raw: &[u8], text: &[u8]) -> Option<usize> {
    let mut at = 0;
    for byte in raw {
        if text.get(at) != Some(&b'%') {
            return None;
        }
        at += 1;
        while *byte != b'%' && text[at..].starts_with(b"25") {
            at += 2;
        }
        let digits = std::str::from_utf8(text.get(at..at + 2)?).ok()?;
        if !u8::from_str_radix(digits, 16).ok()?.eq_ignore_ascii_case(byte) {
            return None;
        }
        at += 2;
    }
    Some(at)
}

/// Matches `&amp;`, `&#43;` and `&#x2b;`, even if the `&` is escaped.
fn match_html_entity(part: char, text: &[u8]) -> Option<usize> {
    let mut at = 1;
    while text.get(at..)?.starts_with(b"amp;") {
        at += 4;
    }
    if part == '&' && at > 1 {
        return Some(at);
    }
    let end = at + text.get(at..)?.iter().take(10).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&text[at..end]).ok()?;
    let meant = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        }
        .and_then(char::from_u32),
        None => ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, meant)| *meant),
    };
    meant?.eq_ignore_ascii_case(&part).then_some(end + 1)
}
