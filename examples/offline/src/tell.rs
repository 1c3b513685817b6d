//! What is told in sentences: results, and what this model is.

use genkit::Part;
use genkit::message::ToolResponse;
use genkit::model::ToolDefinition;
use genkit::serde_json::Value;

/// The results, one below the other.
pub(crate) fn results(results: &[&ToolResponse]) -> String {
    results.iter().map(|result| told(result)).collect::<Vec<_>>().join("\n")
}

fn told(result: &ToolResponse) -> String {
    let name = &result.name;
    let content = result.content.iter().find_map(Part::as_text);
    match (&result.output, result.error(), content) {
        (_, Some(error), _) => format!("`{name}` failed: {error}."),
        (Value::Null, _, Some(text)) => text.to_owned(),
        (Value::String(text), ..) if !text.trim().is_empty() => text.clone(),
        // A list of objects is easier to read line by line.
        (Value::Array(all), ..) if all.iter().any(Value::is_object) => {
            let lines = all.iter().map(|item| format!("\n- {}", entries(item)));
            format!("`{name}` gives:{}", lines.collect::<String>())
        }
        (output, ..) => format!("`{name}` gives {}.", entries(output).trim_end_matches('.')),
    }
}

/// A value in a sentence: `city: Paris, temperature: 21`.
fn entries(value: &Value) -> String {
    let entry =
        |(key, value): (&String, &Value)| format!("{}: {}", key.replace('_', " "), plain(value));
    let all: Vec<_> = match value {
        Value::Object(all) if !all.is_empty() => all.iter().map(entry).collect(),
        Value::Array(all) if !all.is_empty() => all.iter().map(plain).collect(),
        value => vec![plain(value)],
    };
    all.join(", ")
}

/// A value as one writes it in a sentence.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What this model is, and how to get a real one.
pub(crate) fn what_it_is(tools: &[ToolDefinition]) -> String {
    let names: Vec<_> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!(
        "I am genkit's offline model: I understand nothing, and can only call tools and fill forms \
         by the words of a message. Tools that your message could have named: {names}. For a real \
         model, set GEMINI_API_KEY and use `.model(\"gemini/gemini-2.5-flash\")`, or start Ollama \
         and use `.model(\"ollama/llama3.2\")`."
    )
}
