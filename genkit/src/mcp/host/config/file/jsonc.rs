//! JSON as people write it in editors: with comments, and commas before a closing bracket.

/// The same text as plain JSON. What is left out becomes white space, so that every other character
/// keeps its line and column.
pub(crate) fn to_json(text: &str) -> String {
    let mut json = text.as_bytes().to_vec();
    if text.starts_with('\u{feff}') {
        json[..'\u{feff}'.len_utf8()].fill(b' ');
    }
    let mut at = 0;
    // A comma that nothing but white space follows so far.
    let mut comma = None;
    while at < json.len() {
        let end = match &json[at..] {
            [b'"', ..] => string_end(&json, at),
            [b'/', b'/', ..] => blank(&mut json, at, |rest| find(rest, b"\n")),
            [b'/', b'*', ..] => {
                blank(&mut json, at, |rest| find(&rest[2..], b"*/").map(|found| found + 4))
            }
            _ => at + 1,
        };
        match json[at] {
            b',' => comma = Some(at),
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    json[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at = end;
    }
    // Whole comments and single ASCII characters were replaced.
    String::from_utf8(json).unwrap_or_else(|_| text.to_owned())
}

/// Where the string that begins here is over.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

/// Replaces a comment by spaces; its end is measured from its start, and is that of the text if
/// there is none.
fn blank(text: &mut [u8], start: usize, end: impl FnOnce(&[u8]) -> Option<usize>) -> usize {
    let end = end(&text[start..]).map_or(text.len(), |length| start + length);
    for byte in &mut text[start..end] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
    end
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
