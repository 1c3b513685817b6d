//! Partial and lenient JSON: a value out of the text of a model that has prose around it, is written carelessly, or
//! is not complete yet.
//!
//! It is ours, since no crate reads all three as Genkit does in every language (its specifications are the tests):
//! those for partial JSON refuse JSON5, those for JSON5 refuse text that is cut off, and none passes over prose.

mod number;
mod reader;

use serde_json::Value;

use reader::{JsonReader, ReadState};

/// What is certain of a JSON text that may be cut off anywhere.
///
/// Open strings, arrays and objects are closed where the text ends, or where it stops being JSON. A name whose value
/// has not begun is left out, and so is a number at the very end, since more digits may follow. The beginning of
/// `true`, `false` or `null` can become nothing else and is taken for the whole.
pub fn partial(text: &str) -> Option<Value> {
    let mut reader = JsonReader::new(text, 0);
    let value = reader.value();
    value.filter(|_| reader.state != ReadState::TooDeep)
}

/// The first JSON object or array in a text. One that the end of the text cuts off counts as far as it is
/// [certain](partial).
///
/// Brackets in prose are passed over: those in which nothing reads as JSON, and those that are JSON at first but not
/// to the end.
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
        let value = reader.value();
        match reader.state {
            ReadState::Whole | ReadState::Cut => return value,
            // An inner part of it would be found next, and pass for the whole.
            ReadState::TooDeep => return None,
            ReadState::Broken if reader.is_meant => at = closed(text, at)?,
            ReadState::Broken => at = reader.at.max(at + 1),
        }
    }
}

/// The items of an array in a text.
pub struct Items {
    /// The complete ones, from the cursor on.
    pub values: Vec<Value>,
    /// Where to go on when there is more text.
    pub cursor: usize,
    pub end: ListEnd,
}

/// How far a list was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEnd {
    /// No list has begun.
    Nowhere,
    /// There may be more of it.
    Open,
    /// It is complete.
    Closed,
    /// It is not JSON from the cursor on.
    Broken,
}

/// The complete items of the first array in a text, from a cursor on, and the cursor for when there is more text.
/// The first cursor is 0.
///
/// A number that the text ends with is not complete.
pub fn extract_items(text: &str, cursor: usize) -> (Vec<Value>, usize) {
    let items = items(text, cursor);
    (items.values, items.cursor)
}

/// Like [`extract_items`], with how the array ends.
///
/// The cursor is always after an item, before the comma or bracket that follows; so an array that is closed cannot be
/// taken for one that goes on.
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
        // Before the first item nothing is settled: these may be brackets in prose.
        if items.end == ListEnd::Open || reader.is_meant || reader.state == ReadState::TooDeep {
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
        match reader.peek() {
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
        let value = reader.value();
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

/// The objects on the lines of a text (JSON Lines), from a cursor on, and the cursor for when there is more text.
///
/// Lines that do not begin with `{` are passed over, as are those that cannot be read.
pub fn extract_lines(text: &str, cursor: usize) -> (Vec<Value>, usize) {
    let mut values = Vec::new();
    let mut cursor = cursor;
    while let Some(line) = next_line(text, cursor) {
        values.extend(line.values);
        if line.is_last {
            // Its rest may still become an object.
            cursor += line.read;
            break;
        }
        cursor = line.next;
    }
    (values, cursor)
}

/// All objects on the lines of a text; a line that begins like one and cannot be read comes back as the error. The last
/// line may be cut off.
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

/// One line and what is on it.
struct JsonLine<'a> {
    text: &'a str,
    values: Vec<Value>,
    /// How many of its bytes the values take.
    read: usize,
    is_cut: bool,
    is_broken: bool,
    /// Whether no line feed ends it.
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
        // Objects that a model put on one line, with or without commas between them.
        let separators = line[reader.at..].find(|c: char| !c.is_whitespace() && c != ',');
        reader.at += separators.unwrap_or_default();
        if !line[reader.at..].starts_with('{') {
            break;
        }
        match (reader.value(), reader.state) {
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
            || (reader.state == ReadState::Broken && reader.is_meant),
        is_last: length.is_none(),
        next: at + line.len() + 1,
    })
}

/// Where the bracket at `at` closes, going by double quotes and brackets of its kind alone.
fn closed(text: &str, at: usize) -> Option<usize> {
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
