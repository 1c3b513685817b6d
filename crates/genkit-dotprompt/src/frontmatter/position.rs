//! The boundary between the frontmatter and the template.

use std::ops::Range;

use crate::text;

/// The parts of a file, as byte ranges.
#[derive(Debug, PartialEq)]
pub(crate) struct FileParts {
    /// `None` means that the whole file is the template.
    pub(crate) frontmatter: Option<Range<usize>>,
    pub(crate) body: Range<usize>,
}

/// Splits a file. If anything other than blank lines and lines that start with `#` precedes the first marker, the whole
/// file is the template.
pub(crate) fn split_file(source: &str) -> FileParts {
    let whole = FileParts { frontmatter: None, body: 0..source.len() };
    let Some(start) = skip_opening(source) else { return whole };
    let mut at = start;
    while let Some(line) = line_at(source, at) {
        // A marker must end with a line break, so a marker at the very end of the file does not count.
        if is_marker(&source[line.content.clone()]) && line.next > line.content.end && at > start {
            let end = without_line_end(source, at);
            if end <= start || text::trim_blanks(&source[start..end]).is_empty() {
                return whole;
            }
            let body = line.next + text::trim_range(&source[line.next..]).start;
            let length = text::trim_blanks(&source[line.next..]).len();
            return FileParts { frontmatter: Some(start..end), body: body..body + length };
        }
        if at == start && is_marker(&source[line.content.clone()]) {
            return whole;
        }
        at = line.next;
    }
    whole
}

/// Returns the reason why a file that begins with a marker has no frontmatter, and the position. Without this check,
/// the intended frontmatter would be sent to the model as part of the template.
pub(crate) fn find_overlooked(source: &str) -> Option<(&'static str, usize)> {
    let text = source.trim_start_matches(BYTE_ORDER_MARK);
    let first = source.len() - text.len();
    let start = skip_opening(text)?;
    if first > 0 {
        return Some(("a byte order mark (U+FEFF) precedes it; save the file without one", 0));
    }
    if split_file(source).frontmatter.is_some() {
        return None;
    }
    let marker = without_line_end(source, start);
    let marker = source[..marker].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let mut at = start;
    while let Some(line) = line_at(source, at) {
        if is_marker(&source[line.content.clone()]) {
            let empty = text::trim_blanks(&source[start..at]).is_empty();
            return Some(match empty {
                true => ("it is empty; remove both `---`", marker),
                false => ("the file ends directly after this `---`; add a line break", at),
            });
        }
        at = line.next;
    }
    Some(("`---` is never closed; write `---` below the last key", marker))
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the start of the line after the first marker.
fn skip_opening(source: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(line) = line_at(source, at) {
        let content = &source[line.content.clone()];
        if is_marker(content) {
            return (line.next > line.content.end).then_some(line.next);
        }
        let skipped = content.starts_with('#') || content.trim_matches([' ', '\t']).is_empty();
        if !skipped {
            return None;
        }
        at = line.next;
    }
    None
}

/// Returns whether a line is `---` without indentation, optionally followed by whitespace.
fn is_marker(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| text::trim_blanks(rest).is_empty())
}

struct Line {
    content: Range<usize>,
    /// The start of the next line.
    next: usize,
}

fn line_at(source: &str, at: usize) -> Option<Line> {
    if at >= source.len() {
        return None;
    }
    let bytes = source.as_bytes();
    let end = bytes[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    let Some(end) = end.map(|end| at + end) else {
        return Some(Line { content: at..source.len(), next: source.len() });
    };
    let pair = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
    Some(Line { content: at..end, next: end + if pair { 2 } else { 1 } })
}

/// Returns the end of the line before the line that starts at `at`.
fn without_line_end(source: &str, at: usize) -> usize {
    let before = &source[..at];
    before
        .strip_suffix("\r\n")
        .or_else(|| before.strip_suffix('\n'))
        .or_else(|| before.strip_suffix('\r'))
        .map_or(at, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(source: &str) -> Option<(&str, &str)> {
        let FileParts { frontmatter, body } = split_file(source);
        match frontmatter {
            Some(frontmatter) => Some((&source[frontmatter], &source[body])),
            None => {
                assert_eq!(body, 0..source.len());
                None
            }
        }
    }

    #[test]
    fn finds_it_after_comments_and_with_every_line_end() {
        for (source, expected) in [
            ("---\na: 1\n---\nHi", ("a: 1", "Hi")),
            ("---  \na: 1\n--- \t\n\n  Hi \n", ("a: 1", "Hi")),
            ("---\r\na: 1\r\n---\r\nHi\r\n", ("a: 1", "Hi")),
            ("---\ra: 1\r---\rHi", ("a: 1", "Hi")),
            ("# c\n\n  \n#d\n---\na: 1\n---\nHi", ("a: 1", "Hi")),
            ("# c\r\n---\r\na: 1\r\n---\r\nHi", ("a: 1", "Hi")),
            ("---\n# only this\n---\nHi", ("# only this", "Hi")),
            ("---\na: 1\n---\nHi\n---\nthere", ("a: 1", "Hi\n---\nthere")),
            ("---\na: 1\n---\n", ("a: 1", "")),
            ("---\n\na: 1\n\n---\nHi", ("\na: 1\n", "Hi")),
            ("---\na: 1\n ---\n---\nHi", ("a: 1\n ---", "Hi")),
        ] {
            assert_eq!(parts(source), Some(expected), "{source:?}");
        }
    }

    #[test]
    fn else_the_file_is_all_template() {
        for source in [
            "",
            "Hi",
            "---",
            "---\n",
            "---\n---",
            "---\n---\n",
            "---\n---\nHi",
            "---\n\n---\nHi",
            "---\n\n  \n\t\n---\nHi",
            "---\na: 1\n---",
            "Hi\n---\na: 1\n---\n",
            " # c\n---\na: 1\n---\nHi",
            " ---\na: 1\n---\nHi",
            "----\na: 1\n----\nHi",
            "\u{feff}---\na: 1\n---\nHi",
            "---\na: 1\n--- x\nHi",
        ] {
            assert_eq!(parts(source), None, "{source:?}");
        }
    }

    #[test]
    fn overlooked_frontmatter_has_a_position() {
        for (source, why, at) in [
            ("---\na: 1\nHi", "never closed", 0),
            ("# c\r\n\r\n---\r\na: 1\r\n", "never closed", 7),
            ("---\n", "never closed", 0),
            ("---\na: 1\n--- x\nHi", "never closed", 0),
            ("---\na: 1\n---", "add a line break", 9),
            ("---\n\n---\nHi", "it is empty", 0),
            ("\u{feff}---\na: 1\n---\nHi", "byte order mark", 0),
        ] {
            let (said, place) = find_overlooked(source).unwrap_or_default();
            assert!(said.contains(why), "{source:?}: {said}");
            assert_eq!(place, at, "{source:?}");
        }
        for source in
            ["", "Hi", "---", "\u{feff}Hi", "Hi\n---\n", "----\n", " ---\n", "---\na: 1\n---\nHi"]
        {
            assert_eq!(find_overlooked(source), None, "{source:?}");
        }
    }
}
