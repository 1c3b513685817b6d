//! Text responses: results as sentences, and the description of this model.

use genkit::Part;
use genkit::message::ToolResponse;
use genkit::model::ToolDefinition;
use genkit::serde_json::Value;

/// Formats the results, one per line.
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
        // A list of objects is easier to read with one line per object.
        (Value::Array(all), ..) if all.iter().any(Value::is_object) => {
            let lines = all.iter().map(|item| format!("\n- {}", entries(item)));
            format!("`{name}` returned:{}", lines.collect::<String>())
        }
        (output, ..) => format!("`{name}` returned {}.", entries(output).trim_end_matches('.')),
    }
}

/// Formats a value for a sentence: `city: Paris, temperature: 21`.
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

/// Formats a string without quotes, and any other value as JSON.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Describes this model, and how to use a real one.
pub(crate) fn what_it_is(tools: &[ToolDefinition]) -> String {
    let names: Vec<_> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!(
        "I am genkit's offline model. I do not understand text; I only call tools and fill forms \
         by matching words. Tools that your message could have named: {names}. To use a real \
         model, set GEMINI_API_KEY and write `.model(\"gemini/gemini-2.5-flash\")`, or start \
         Ollama and write `.model(\"ollama/llama3.2\")`."
    )
}
