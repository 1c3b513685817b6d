//! What is said in sentences.

use serde_json::Value;

use super::guess::plain;
use super::plan::Lack;
use crate::message::{Part, ToolResponse};
use crate::model::ToolDefinition;

/// How many tools, items and keys a sentence lists.
const MAX_LISTED: usize = 20;

/// How deep a value is told.
const MAX_DEPTH: usize = 8;

/// The results, one in a line.
pub(super) fn results(results: &[&ToolResponse]) -> String {
    results.iter().map(|result| one(result)).collect::<Vec<_>>().join("\n")
}

fn one(result: &ToolResponse) -> String {
    let name = &result.name;
    if let Some(error) = result.error() {
        return format!("`{name}` failed: {}", ended(error));
    }
    let mut lines = Vec::new();
    match &result.output {
        Value::Null if !result.content.is_empty() => {}
        Value::Null => lines.push(format!("`{name}` is done, and has nothing to say.")),
        Value::String(text) if text.trim().is_empty() => {
            lines.push(format!("`{name}` gives an empty text."));
        }
        Value::String(text) => lines.push(text.clone()),
        Value::Array(items) if items.is_empty() => {
            lines.push(format!("`{name}` gives an empty list."))
        }
        Value::Object(object) if object.is_empty() => {
            lines.push(format!("`{name}` gives an empty object."));
        }
        // A list of objects is easier to read line by line.
        Value::Array(items) if items.iter().any(Value::is_object) => {
            lines.push(format!("`{name}` gives:"));
            lines.extend(items.iter().take(MAX_LISTED).map(|item| format!("- {}", told(item, 0))));
            lines.extend(more(items.len()));
        }
        output => lines.push(format!("`{name}` gives {}", ended(&told(output, 0)))),
    }
    for part in &result.content {
        lines.push(match part {
            Part::Text { text, .. } => text.clone(),
            Part::Media { media, .. } => {
                let kind = media.content_type.as_deref().unwrap_or("a file");
                format!("`{name}` gives {kind}, which I cannot look at.")
            }
            Part::Resource { resource, .. } => match &resource.text {
                Some(text) => text.clone(),
                None => format!("`{name}` gives the resource {}.", resource.uri),
            },
            Part::Data { data, .. } => format!("`{name}` gives {}", ended(&told(data, 0))),
            _ => continue,
        });
    }
    lines.join("\n")
}

fn more(count: usize) -> Option<String> {
    let rest = count.checked_sub(MAX_LISTED).filter(|rest| *rest > 0)?;
    Some(format!("- … and {rest} more"))
}

/// A value in words: `city: Paris, temperature: 21`.
fn told(value: &Value, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return "…".to_owned();
    }
    let nested = |value: &Value| match value {
        Value::Object(_) => format!("({})", told(value, depth + 1)),
        Value::Array(_) => format!("[{}]", told(value, depth + 1)),
        value => told(value, depth + 1),
    };
    let rest = |count: usize| (count > MAX_LISTED).then(|| "…".to_owned());
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Object(object) => {
            let entries = object.iter().take(MAX_LISTED);
            let entries =
                entries.map(|(key, value)| format!("{}: {}", key.replace('_', " "), nested(value)));
            entries.chain(rest(object.len())).collect::<Vec<_>>().join(", ")
        }
        Value::Array(items) => {
            let entries = items.iter().take(MAX_LISTED).map(nested);
            entries.chain(rest(items.len())).collect::<Vec<_>>().join(", ")
        }
        value => plain(value),
    }
}

/// A sentence with its full stop.
fn ended(text: &str) -> String {
    let text = text.trim_end();
    let stop = if text.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    format!("{text}{stop}")
}

/// That a tool is meant but cannot be called.
pub(super) fn missing(lack: &Lack) -> String {
    let Lack { tool, missing } = lack;
    let mut said = match missing.path.as_str() {
        "" => format!("`{}` needs an input that I do not find in the message", tool.name),
        path => format!("`{}` needs `{path}`, and I do not find it in the message", tool.name),
    };
    let about = first_sentence(&missing.description);
    let values = missing.values.join(", ");
    said.push_str(&match (about, values.as_str()) {
        ("", "") => String::new(),
        ("", values) => format!(" (one of: {values})"),
        (about, "") => format!(" ({about})"),
        (about, values) => format!(" ({about}; one of: {values})"),
    });
    said.push_str(". I am genkit's offline model, and fill arguments by words alone.");
    said
}

/// What this model is, and how to get a real one.
pub(super) fn what_it_is(tools: &[ToolDefinition]) -> String {
    let mut said =
        "I am genkit's offline model: I understand nothing, and can only call tools and \
                    fill forms by the words of a message."
            .to_owned();
    if !tools.is_empty() {
        said.push_str(" Your message names none of my tools:");
        let names = tools.iter().take(MAX_LISTED).map(|tool| format!(" `{}`", tool.name));
        said.push_str(&names.collect::<Vec<_>>().join(","));
        said.push_str(if tools.len() > MAX_LISTED { ", …" } else { "." });
    }
    said.push_str(
        " For a real model, set GEMINI_API_KEY and use `.model(\"gemini/gemini-2.5-flash\")`, or \
         start Ollama and use `.model(\"ollama/llama3.2\")`.",
    );
    said
}

/// The first sentence of a description, without its full stop.
fn first_sentence(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or("");
    let end = line.find(". ").unwrap_or(line.len());
    line[..end].trim_end_matches('.')
}
