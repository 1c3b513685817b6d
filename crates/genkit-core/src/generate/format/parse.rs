//! Structured output: parsing the text of a model.

use serde_json::Value;

use super::Format;
use crate::error::{Error, Result};
use crate::generate::error::Error as E;
use genkit_schema::internal::bounded_json::{MAX_JSON_VALUES, may_have_more_values};
use genkit_schema::internal::partial_json;
use genkit_schema::internal::partial_json::ListEnd;
use genkit_schema::internal::truncate::excerpt;

/// The length of a response quoted in an error, in characters. Default is 200.
pub const MAX_QUOTED: usize = 200;

/// Parses a complete response.
///
/// If the text ends within JSON, the part that can be parsed is returned, including an unfinished string; the
/// finish reason reports whether the text was cut off.
pub fn parse_answer(format: Format, text: &str) -> Result<Value> {
    match format {
        Format::Text => Ok(text.into()),
        Format::Json | Format::Array | Format::Jsonl if is_too_much(text) => {
            Err(unreadable_error("at most 200,000 values", "more", text))
        }
        Format::Json => {
            parse_json(text).ok_or_else(|| unreadable_error("JSON", "no complete JSON", text))
        }
        Format::Array => {
            let items = partial_json::items(text, 0);
            match items.end {
                ListEnd::Closed | ListEnd::Open => Ok(Value::Array(items.values)),
                ListEnd::Nowhere => Err(unreadable_error("a JSON array", "no array", text)),
                ListEnd::Broken => Err(unreadable_error("a JSON array", "a malformed array", text)),
            }
        }
        Format::Enum => Ok(trim_word(text).into()),
        Format::Jsonl => match partial_json::lines(text) {
            Ok(values) => Ok(Value::Array(values)),
            Err(line) => {
                Err(unreadable_error("a JSON object on each line", "an invalid line", line))
            }
        },
    }
}

/// Parses an incomplete response. `accumulated` is the whole text so far.
pub fn parse_partial(format: Format, accumulated: &str) -> Option<Value> {
    match format {
        Format::Text => Some(accumulated.into()),
        Format::Json | Format::Array | Format::Jsonl if is_too_much(accumulated) => None,
        // A JSON string may contain brackets.
        Format::Json if accumulated.trim_start().starts_with('"') => {
            partial_json::partial(accumulated)
        }
        Format::Json => partial_json::extract(accumulated),
        Format::Array => Some(Value::Array(partial_json::extract_items(accumulated, 0).0)),
        // An incomplete word is not yet a value of the enum.
        Format::Enum => None,
        Format::Jsonl => Some(Value::Array(partial_json::extract_lines(accumulated, 0).0)),
    }
}

fn is_too_much(text: &str) -> bool {
    may_have_more_values(text, MAX_JSON_VALUES)
}

/// Parses a string that is entirely JSON, with or without a Markdown fence, or else its first object or array.
fn parse_json(text: &str) -> Option<Value> {
    let text = text.trim();
    let whole = serde_json::from_str(text).ok();
    let fenced = || serde_json::from_str(inside_fence(text)?).ok();
    whole.or_else(fenced).or_else(|| partial_json::extract(text))
}

/// Returns the text between the lines of a Markdown fence.
fn inside_fence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    inside.split_once('\n').map(|(_, inside)| inside)
}

/// Removes quotes and whitespace around a word.
fn trim_word(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))
}

fn unreadable_error(expected: &'static str, found: &'static str, text: &str) -> Error {
    E::UnreadableOutput { expected, found, quoted: excerpt(text, MAX_QUOTED) }.into()
}
