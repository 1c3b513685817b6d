//! Output formats: how a model is told what to write, and how its text is read.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::schema::partial_json::{self, End};

/// How much of an answer an error quotes, in characters. Default is 200.
const MAX_QUOTED: usize = 200;

/// What a model is asked to write.
///
/// ```
/// use genkit::Format;
///
/// assert_eq!(Format::Jsonl.as_str(), "jsonl");
/// assert_eq!(Format::Jsonl.content_type(), "application/jsonl");
/// assert_eq!(serde_json::to_value(Format::Array).unwrap(), "array");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// Text, as it is.
    Text,
    /// One JSON value, most often an object.
    Json,
    /// A JSON array, of which each item can be used as soon as it is complete.
    Array,
    /// One word out of a list, without quotes.
    Enum,
    /// JSON objects, one on each line.
    Jsonl,
}

impl Format {
    /// The name in Genkit's JSON.
    ///
    /// ```
    /// assert_eq!(genkit::Format::Enum.as_str(), "enum");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Array => "array",
            Self::Enum => "enum",
            Self::Jsonl => "jsonl",
        }
    }

    /// The media type of the answer.
    ///
    /// ```
    /// assert_eq!(genkit::Format::Array.content_type(), "application/json");
    /// ```
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain",
            Self::Json | Self::Array => "application/json",
            Self::Enum => "text/enum",
            Self::Jsonl => "application/jsonl",
        }
    }

    /// The format of a name in Genkit's JSON.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let all = [Self::Text, Self::Json, Self::Array, Self::Enum, Self::Jsonl];
        all.into_iter().find(|format| format.as_str() == name)
    }
}

/// What a model is told about its output: word for word what Genkit says in every language, with the blanks at the
/// ends of lines. Nothing where the schema has nothing to tell.
pub(crate) fn instructions(format: Format, schema: &Value) -> Option<String> {
    match format {
        Format::Text => None,
        Format::Json => Some(format!(
            "Output should be in JSON format and conform to the following schema:\n\n```\n{schema}\n```\n"
        )),
        Format::Array => Some(format!(
            "Output should be a JSON array conforming to the following schema:\n    \n```\n{schema}\n```\n    "
        )),
        Format::Enum => {
            let values = enum_values(schema)?;
            let text =
                |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let values: Vec<_> = values.into_iter().map(text).collect();
            Some(format!(
                "Output should be ONLY one of the following enum values. Do not output any additional information or add quotes.\n\n{}",
                values.join("\n")
            ))
        }
        Format::Jsonl => {
            let items = with_definitions(schema.get("items")?, schema);
            Some(format!(
                "Output should be JSONL format, a sequence of JSON objects (one per line) separated by a newline `\\n` character. Each line should be a JSON object conforming to the following schema:\n\n```\n{items}\n```\n    "
            ))
        }
    }
}

/// Whether a schema fits a format.
pub(crate) fn check_schema(format: Format, schema: &Value) -> Result<()> {
    let fits = match format {
        Format::Text | Format::Json => true,
        Format::Array => is_type(schema, "array"),
        Format::Enum => {
            is_type(schema, "string") || is_type(schema, "enum") || enum_values(schema).is_some()
        }
        Format::Jsonl => {
            is_type(schema, "array")
                && schema.get("items").is_some_and(|items| is_object(items, schema))
        }
    };
    if fits {
        return Ok(());
    }
    let wanted = match format {
        Format::Array => "that of an array; for one object use the format `json`",
        Format::Enum => "that of a string or of an enum; for other values use the format `json`",
        _ => "that of an array of objects; for other items use the format `array`",
    };
    let name = format.as_str();
    Err(Error::invalid_argument(format!(
        "for the output format `{name}` the schema must be {wanted}"
    )))
}

/// Reads a whole answer.
///
/// JSON that the end of the text cuts off counts as far as it is certain; the reason why the model stopped tells
/// whether that is so.
pub(crate) fn parse(format: Format, text: &str) -> Result<Value> {
    match format {
        Format::Text => Ok(text.into()),
        Format::Json => {
            json(text).ok_or_else(|| unreadable("JSON", "no JSON that reads to its end", text))
        }
        Format::Array => {
            let items = partial_json::items(text, 0);
            match items.end {
                End::Closed | End::Open => Ok(Value::Array(items.values)),
                End::Nowhere => Err(unreadable("a JSON array", "no array", text)),
                End::Broken => Err(unreadable("a JSON array", "one that breaks off", text)),
            }
        }
        Format::Enum => Ok(word(text).into()),
        Format::Jsonl => match partial_json::lines(text) {
            Ok(values) => Ok(Value::Array(values)),
            Err(line) => Err(unreadable("a JSON object on each line", "a line that is none", line)),
        },
    }
}

/// Reads an answer that is not complete yet: all that was said so far, not only what is new.
pub(crate) fn parse_partial(format: Format, accumulated: &str) -> Option<Value> {
    match format {
        Format::Text => Some(accumulated.into()),
        // A text that is a string may hold brackets.
        Format::Json if accumulated.trim_start().starts_with('"') => {
            partial_json::partial(accumulated)
        }
        Format::Json => partial_json::extract(accumulated),
        Format::Array => Some(Value::Array(partial_json::extract_items(accumulated, 0).0)),
        // Half a word is none.
        Format::Enum => None,
        Format::Jsonl => Some(Value::Array(partial_json::extract_lines(accumulated, 0).0)),
    }
}

/// A text that is JSON as a whole, with or without a fence around it; else the first object or array in it.
fn json(text: &str) -> Option<Value> {
    let text = text.trim();
    let whole = serde_json::from_str(text).ok();
    let fenced = || serde_json::from_str(inside_fence(text)?).ok();
    whole.or_else(fenced).or_else(|| partial_json::extract(text))
}

/// What is between the lines of a Markdown fence.
fn inside_fence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    inside.split_once('\n').map(|(_, inside)| inside)
}

/// A word without the quotes and blanks around it.
fn word(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))
}

fn unreadable(wanted: &str, found: &str, text: &str) -> Error {
    let mut quoted: String = text.chars().take(MAX_QUOTED).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    Error::invalid_argument(format!("the answer should be {wanted}, and has {found}: {quoted:?}"))
}

fn is_type(schema: &Value, name: &str) -> bool {
    schema.get("type").is_some_and(|kind| kind == name)
}

/// Whether a schema is that of an object, or refers to one, or chooses between some.
fn is_object(schema: &Value, root: &Value) -> bool {
    if is_type(schema, "object") {
        return true;
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        // One step is enough: schemars writes no references to references.
        return target.is_some_and(|target| is_type(target, "object") || chooses_objects(target));
    }
    chooses_objects(schema)
}

fn chooses_objects(schema: &Value) -> bool {
    let branches = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    branches.is_some_and(|all| !all.is_empty() && all.iter().all(|one| is_type(one, "object")))
}

/// The values that a schema lists, also one by one, as schemars does for values with a description.
fn enum_values(schema: &Value) -> Option<Vec<&Value>> {
    if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
        return Some(listed.iter().collect());
    }
    if let Some(only) = schema.get("const") {
        return Some(vec![only]);
    }
    let branches = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let mut values = Vec::new();
    for branch in branches {
        match (branch.get("const"), branch.get("enum").and_then(Value::as_array)) {
            (Some(only), _) => values.push(only),
            (None, Some(listed)) => values.extend(listed),
            (None, None) => return None,
        }
    }
    Some(values)
}

/// The schema of an item with the definitions that it may refer to.
fn with_definitions(items: &Value, root: &Value) -> Value {
    let mut items = items.clone();
    let refers = items.to_string().contains("\"$ref\"");
    if let (true, Value::Object(map), Some(root)) = (refers, &mut items, root.as_object()) {
        let definitions =
            |(key, _): &(&String, &Value)| matches!(key.as_str(), "$defs" | "definitions");
        let added: Map<_, _> = root
            .iter()
            .filter(definitions)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        map.extend(added);
    }
    items
}

#[cfg(test)]
mod tests;
