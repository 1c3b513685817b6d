//! Whitespace as the template language defines it, and positions in a string.

use std::ops::Range;

/// Returns whether JavaScript's `\s` and `trim` treat a character as whitespace, as the template language requires.
pub(crate) fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

pub(crate) fn trim_blanks(text: &str) -> &str {
    text.trim_matches(is_blank)
}

pub(crate) fn trim_range(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches(is_blank).len();
    start..start + trim_blanks(text).len()
}

/// Returns the line and the column of a byte, both counted from 1. Lines end with LF, CRLF or CR.
pub(crate) fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let before = source.get(..offset).unwrap_or(source);
    let mut line = 1;
    let mut start = 0;
    let bytes = before.as_bytes();
    for (i, byte) in bytes.iter().enumerate() {
        let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
        if ends {
            line += 1;
            start = i + 1;
        }
    }
    (line, before[start..].chars().count() + 1)
}
