//! JSON as text.

use serde_json::{Map, Value};

use super::number;
use super::value::Val;
use crate::fault::Fault;
use crate::limits::MAX_JSON_DEPTH;

/// Writes a value as JSON, on one line if `indent` is empty. Returns an error as soon as the text exceeds `limit`
/// bytes.
pub(super) fn text(value: &Val<'_>, indent: &str, limit: usize) -> Result<String, Fault> {
    let mut writer = JsonWriter { text: String::new(), indent, limit, depth: 0 };
    match (value.map(), value.value(), value.text()) {
        (Some(map), ..) => writer.map(map)?,
        (None, Some(value), _) => writer.value(value)?,
        (None, None, Some(text)) => writer.string(text)?,
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
    fn value(&mut self, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Null => self.push("null"),
            Value::Bool(true) => self.push("true"),
            Value::Bool(false) => self.push("false"),
            Value::Number(number) => self.push(&number::text(number)),
            Value::String(text) => self.string(text),
            Value::Array(list) if list.is_empty() => self.push("[]"),
            Value::Array(list) => {
                self.open("[")?;
                for (i, item) in list.iter().enumerate() {
                    self.item(i)?;
                    self.value(item)?;
                }
                self.close("]")
            }
            Value::Object(map) => self.map(map),
        }
    }

    fn map(&mut self, map: &Map<String, Value>) -> Result<(), Fault> {
        if map.is_empty() {
            return self.push("{}");
        }
        self.open("{")?;
        for (i, (key, value)) in map.iter().enumerate() {
            self.item(i)?;
            self.string(key)?;
            self.push(if self.indent.is_empty() { ":" } else { ": " })?;
            self.value(value)?;
        }
        self.close("}")
    }

    fn open(&mut self, bracket: &str) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > MAX_JSON_DEPTH {
            return Err(Fault::JsonTooDeep);
        }
        self.push(bracket)
    }

    fn close(&mut self, bracket: &str) -> Result<(), Fault> {
        self.depth -= 1;
        self.line()?;
        self.push(bracket)
    }

    fn item(&mut self, position: usize) -> Result<(), Fault> {
        if position > 0 {
            self.push(",")?;
        }
        self.line()
    }

    fn line(&mut self) -> Result<(), Fault> {
        if self.indent.is_empty() {
            return Ok(());
        }
        self.push("\n")?;
        for _ in 0..self.depth {
            self.push(self.indent)?;
        }
        Ok(())
    }

    fn push(&mut self, text: &str) -> Result<(), Fault> {
        if self.text.len() + text.len() > self.limit {
            return Err(Fault::OutputBytes(self.limit));
        }
        self.text.push_str(text);
        Ok(())
    }

    fn string(&mut self, text: &str) -> Result<(), Fault> {
        self.push("\"")?;
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
            self.push(&text[start..at])?;
            match escaped {
                "" => self.push(&format!("\\u{byte:04x}"))?,
                escaped => self.push(escaped)?,
            }
            start = at + 1;
        }
        self.push(&text[start..])?;
        self.push("\"")
    }
}
