//! Estimates of token counts, for providers that cannot count tokens.

use genkit_core::{Message, Part};
use genkit_core::{ModelRequest, ToolDefinition};
use genkit_schema::internal::size::json_size;

/// The number of tokens of each message in addition to its parts.
const MESSAGE_TOKENS: u64 = 4;

/// The number of tokens of an image, an audio clip or another file, regardless of its size, because providers
/// scale files down.
const MEDIA_TOKENS: u64 = 1_000;

/// Estimates the tokens of a request by its length, at about four bytes of English text per token.
pub fn estimate_request(request: &ModelRequest) -> u64 {
    let messages = request.messages.iter().map(estimate_message).sum::<u64>();
    let docs =
        request.docs.iter().flat_map(|document| &document.content).map(estimate_part).sum::<u64>();
    messages + docs + estimate_other_parts(request)
}

/// Estimates the tokens of the tools and the output schema.
pub fn estimate_other_parts(request: &ModelRequest) -> u64 {
    let tool = |tool: &ToolDefinition| {
        let schema = tool.input_schema().map_or(0, estimate_json);
        estimate_text(&tool.name) + estimate_text(&tool.description) + schema
    };
    let schema = request.output.schema.as_deref().map_or(0, estimate_json);
    request.tools.iter().map(tool).sum::<u64>() + schema
}

pub fn estimate_message(message: &Message) -> u64 {
    MESSAGE_TOKENS + message.content.iter().map(estimate_part).sum::<u64>()
}

fn estimate_part(part: &Part) -> u64 {
    match part {
        Part::Text { text, .. } | Part::Reasoning { reasoning: text, .. } => estimate_text(text),
        Part::Media { .. } => MEDIA_TOKENS,
        Part::ToolRequest { tool_request: call, .. } => {
            estimate_text(&call.name) + estimate_json(&call.input)
        }
        Part::ToolResponse { tool_response: answer, .. } => {
            let content = answer.content.iter().map(estimate_part).sum::<u64>();
            estimate_text(&answer.name) + estimate_json(&answer.output) + content
        }
        Part::Resource { resource, .. } => {
            resource.text.as_deref().map_or(MEDIA_TOKENS, estimate_text)
        }
        Part::Data { data, .. } => estimate_json(data),
        Part::Custom { custom, .. } => estimate_json(custom),
        _ => 0,
    }
}

/// Estimates the tokens of text: a quarter of a token for each ASCII character, and three quarters for each other
/// character.
fn estimate_text(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|char| !char.is_ascii()).count();
    (ascii + 3 * others).div_ceil(4) as u64
}

/// Estimates the tokens of JSON: three bytes per token, because punctuation adds tokens.
fn estimate_json(value: &impl serde::Serialize) -> u64 {
    json_size(value).div_ceil(3) as u64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use genkit_core::ToolRequest;

    #[test]
    fn estimate_goes_by_length_and_not_by_the_bytes_of_files() {
        let text = |text: &str| estimate_message(&Message::user(text));
        assert_eq!(text(""), MESSAGE_TOKENS);
        assert_eq!(text(&"word ".repeat(100)), MESSAGE_TOKENS + 125);
        assert_eq!(text(&"語".repeat(100)), MESSAGE_TOKENS + 75);
        let image = Message::user(Part::image("image/png", vec![0; 1_000_000]));
        assert_eq!(estimate_message(&image), MESSAGE_TOKENS + MEDIA_TOKENS);
        let call = Message::model(ToolRequest::new("t", json!({"text": "x".repeat(300)})));
        assert!((100..120).contains(&estimate_message(&call)));
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        let tool = ToolDefinition::new("weather", "Tells the weather.").with_input_schema(schema);
        let request = ModelRequest::new([Message::user("hi")]).with_tools([tool]);
        assert!((20..50).contains(&estimate_other_parts(&request)));
        assert_eq!(estimate_request(&request), 5 + estimate_other_parts(&request));
    }
}
