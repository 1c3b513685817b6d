//! JSON as text.

use serde_json::{Map, Value};

use super::number;
use super::value::Val;
use crate::error_kind::ErrorKind;
use crate::limits::MAX_JSON_DEPTH;

/// Writes a value as JSON, on one line if `indent` is empty. Returns an error as soon as the text exceeds `limit`
/// bytes.
pub(super) fn write_json(value: &Val<'_>, indent: &str, limit: usize) -> Result<String, ErrorKind> {
    let mut writer = JsonWriter { text: String::new(), indent, limit, depth: 0 };
    match (value.as_map(), value.as_value(), value.as_text()) {
        (Some(map), ..) => writer.write_map(map)?,
        (None, Some(value), _) => writer.write_value(value)?,
        (None, None, Some(text)) => writer.write_string(text)?,
        (None, None, None) => {}
    }
    Ok(writer.text)
}

struct JsonWriter<'a> {
    text: String,
    indent: &'a str,
    limit: usize,
    depth: usize,
}

impl JsonWriter<'_> {
    fn write_value(&mut self, value: &Value) -> Result<(), ErrorKind> {
        match value {
            Value::Null => self.push_text("null"),
            Value::Bool(true) => self.push_text("true"),
            Value::Bool(false) => self.push_text("false"),
            Value::Number(number) => self.push_text(&number::format_number(number)),
            Value::String(text) => self.write_string(text),
            Value::Array(list) if list.is_empty() => self.push_text("[]"),
            Value::Array(list) => {
                self.open_bracket("[")?;
                for (i, item) in list.iter().enumerate() {
                    self.begin_item(i)?;
                    self.write_value(item)?;
                }
                self.close_bracket("]")
            }
            Value::Object(map) => self.write_map(map),
        }
    }

    fn write_map(&mut self, map: &Map<String, Value>) -> Result<(), ErrorKind> {
        if map.is_empty() {
            return self.push_text("{}");
        }
        self.open_bracket("{")?;
        for (i, (key, value)) in map.iter().enumerate() {
            self.begin_item(i)?;
            self.write_string(key)?;
            self.push_text(if self.indent.is_empty() { ":" } else { ": " })?;
            self.write_value(value)?;
        }
        self.close_bracket("}")
    }

    fn open_bracket(&mut self, bracket: &str) -> Result<(), ErrorKind> {
        self.depth += 1;
        if self.depth > MAX_JSON_DEPTH {
            return Err(ErrorKind::JsonTooDeep);
        }
        self.push_text(bracket)
    }

    fn close_bracket(&mut self, bracket: &str) -> Result<(), ErrorKind> {
        self.depth -= 1;
        self.begin_line()?;
        self.push_text(bracket)
    }

    fn begin_item(&mut self, position: usize) -> Result<(), ErrorKind> {
        if position > 0 {
            self.push_text(",")?;
        }
        self.begin_line()
    }

    fn begin_line(&mut self) -> Result<(), ErrorKind> {
        if self.indent.is_empty() {
            return Ok(());
        }
        self.push_text("\n")?;
        for _ in 0..self.depth {
            self.push_text(self.indent)?;
        }
        Ok(())
    }

    fn push_text(&mut self, text: &str) -> Result<(), ErrorKind> {
        if self.text.len() + text.len() > self.limit {
            return Err(ErrorKind::OutputTooLarge(self.limit));
        }
        self.text.push_str(text);
        Ok(())
    }

    fn write_string(&mut self, text: &str) -> Result<(), ErrorKind> {
        self.push_text("\"")?;
        let mut start = 0;
        for (at, byte) in text.bytes().enumerate() {
            let escaped = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                b'\n' => "\\n",
                b'\r' => "\\r",
                b'\t' => "\\t",
                0x08 => "\\b",
                0x0c => "\\f",
                0..0x20 => "",
                _ => continue,
            };
            self.push_text(&text[start..at])?;
            match escaped {
                "" => self.push_text(&format!("\\u{byte:04x}"))?,
                escaped => self.push_text(escaped)?,
            }
            start = at + 1;
        }
        self.push_text(&text[start..])?;
        self.push_text("\"")
    }
}
