//! Partial and lenient JSON: extracts a value from the text of a model, which may contain prose, be malformed, or be
//! incomplete.
//!
//! This is a custom parser, because no crate handles all three cases like Genkit's other implementations, whose test
//! cases specify the results. Crates for partial JSON reject JSON5, crates for JSON5 reject truncated text, and none
//! skips prose.

mod number;
mod reader;

use serde_json::Value;

use reader::{JsonReader, ReadState};

/// Parses a JSON text that may be truncated anywhere, and returns the part that more text cannot change.
///
/// Open strings, arrays and objects are closed at the end of the text, or where the text is no longer JSON. A name
/// whose value has not started is omitted, and so is a number at the end of the text, because more digits may follow. A
/// prefix of `true`, `false` or `null` is parsed as that literal, because it can only become that literal.
pub fn partial(text: &str) -> Option<Value> {
    let mut reader = JsonReader::new(text, 0);
    let value = reader.read_value();
    value.filter(|_| reader.state != ReadState::TooDeep)
}

/// Extracts the first JSON object or array from a string. If it is truncated by the end of the text, returns its
/// [partial value](partial).
///
/// Brackets in prose are skipped: brackets whose content is not JSON, or is JSON only at the start.
pub fn extract(text: &str) -> Option<Value> {
    let mut at = 0;
    loop {
        at += text.get(at..)?.find(['{', '['])?;
        if let Some(Ok(value)) =
            serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()
        {
            return Some(value);
        }
        let mut reader = JsonReader::new(text, at);
        let value = reader.read_value();
        match reader.state {
            ReadState::Whole | ReadState::Cut => return value,
            // Continuing would find an inner part and mistake it for the whole.
            ReadState::TooDeep => return None,
            ReadState::Broken if reader.looks_like_json => at = closing_position(text, at)?,
            ReadState::Broken => at = reader.at.max(at + 1),
        }
    }
}

/// The items of an array in a string.
pub struct Items {
    /// The complete items, starting at the cursor.
    pub values: Vec<Value>,
    /// The position to continue from when there is more text.
    pub cursor: usize,
    pub end: ListEnd,
}

/// The state of a list when reading ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEnd {
    /// No list has started.
    Nowhere,
    /// The list may have more items.
    Open,
    /// The list is complete.
    Closed,
    /// The text from the cursor on is not JSON.
    Broken,
}

/// Extracts the complete items of the first array in a string, starting at a cursor. Returns the items and the cursor
/// to continue from when there is more text. The first cursor is 0.
///
/// A number at the end of the text counts as incomplete.
pub fn extract_items(text: &str, cursor: usize) -> (Vec<Value>, usize) {
    let items = items(text, cursor);
    (items.values, items.cursor)
}

/// Extracts items like [`extract_items`], and returns the state of the array.
///
/// The cursor is always after an item, before the comma or bracket that follows, so a closed array cannot be mistaken
/// for one that continues.
pub fn items(text: &str, cursor: usize) -> Items {
    if cursor > 0 {
        return read_items(&mut JsonReader::new(text, cursor), true);
    }
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find('[')) {
        let mut reader = JsonReader::new(text, at + offset + 1);
        let items = read_items(&mut reader, false);
        if !items.values.is_empty() || items.end == ListEnd::Closed {
            return items;
        }
        // Before the first item, these may still be brackets in prose.
        if items.end == ListEnd::Open
            || reader.looks_like_json
            || reader.state == ReadState::TooDeep
        {
            return Items { cursor: 0, ..items };
        }
        at = reader.at;
    }
    Items { values: Vec::new(), cursor: 0, end: ListEnd::Nowhere }
}

fn read_items(reader: &mut JsonReader<'_>, after_item: bool) -> Items {
    let mut values = Vec::new();
    let mut cursor = reader.at;
    let mut needs_comma = after_item;
    let end = loop {
        reader.skip_blank();
        match reader.peek_char() {
            None => break ListEnd::Open,
            Some(']') => break ListEnd::Closed,
            Some(',') if needs_comma => {
                reader.at += 1;
                needs_comma = false;
                continue;
            }
            Some(_) if needs_comma => break ListEnd::Broken,
            Some(_) => {}
        }
        let value = reader.read_value();
        match (value, reader.state) {
            (Some(value), ReadState::Whole) => values.push(value),
            (_, ReadState::Cut) => break ListEnd::Open,
            _ => break ListEnd::Broken,
        }
        cursor = reader.at;
        needs_comma = true;
    };
    Items { values, cursor, end }
}

/// Extracts the objects on the lines of a string (JSON Lines), starting at a cursor. Returns the objects and the cursor
/// to continue from when there is more text.
///
/// Lines that do not start with `{` and lines that cannot be parsed are skipped.
pub fn extract_lines(text: &str, cursor: usize) -> (Vec<Value>, usize) {
    let mut values = Vec::new();
    let mut cursor = cursor;
    while let Some(line) = next_line(text, cursor) {
        values.extend(line.values);
        if line.is_last {
            // The rest of the line may still become an object.
            cursor += line.read;
            break;
        }
        cursor = line.next;
    }
    (values, cursor)
}

/// Extracts all objects on the lines of a string. If a line starts like an object but cannot be parsed, returns that
/// line as the error. The last line may be truncated.
pub fn lines(text: &str) -> Result<Vec<Value>, &str> {
    let mut values = Vec::new();
    let mut cursor = 0;
    while let Some(line) = next_line(text, cursor) {
        if line.is_broken || (line.is_cut && !line.is_last) {
            return Err(line.text.trim());
        }
        values.extend(line.values);
        if line.is_last {
            break;
        }
        cursor = line.next;
    }
    Ok(values)
}

/// One line and the objects on it.
struct JsonLine<'a> {
    text: &'a str,
    values: Vec<Value>,
    /// The number of bytes that the values take.
    read: usize,
    is_cut: bool,
    is_broken: bool,
    /// Whether the line does not end with a line feed.
    is_last: bool,
    next: usize,
}

fn next_line(text: &str, at: usize) -> Option<JsonLine<'_>> {
    let rest = text.get(at..)?;
    let length = rest.find('\n');
    let line = &rest[..length.unwrap_or(rest.len())];
    let mut reader = JsonReader::new(line, 0);
    let mut values = Vec::new();
    let mut read = 0;
    loop {
        // A model may put several objects on one line, with or without commas.
        let separators = line[reader.at..].find(|c: char| !c.is_whitespace() && c != ',');
        reader.at += separators.unwrap_or_default();
        if !line[reader.at..].starts_with('{') {
            break;
        }
        match (reader.read_value(), reader.state) {
            (Some(value), ReadState::Whole) => values.push(value),
            _ => break,
        }
        read = reader.at;
    }
    Some(JsonLine {
        text: line,
        values,
        read,
        is_cut: reader.state == ReadState::Cut,
        is_broken: reader.state == ReadState::TooDeep
            || (reader.state == ReadState::Broken && reader.looks_like_json),
        is_last: length.is_none(),
        next: at + line.len() + 1,
    })
}

/// Returns the position of the bracket that closes the bracket at `at`, considering only double quotes and brackets of
/// the same kind.
fn closing_position(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let open = *bytes.get(at)?;
    let close = if open == b'{' { b'}' } else { b']' };
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (index, byte) in bytes.iter().enumerate().skip(at) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            byte if *byte == open => depth += 1,
            byte if *byte == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
