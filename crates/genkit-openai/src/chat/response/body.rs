//! The format of chat completions, parsed leniently because servers omit, add and mistype fields.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;

use genkit_model::internal::lenient::{deserialize_count, deserialize_text, json_text};

/// A complete response, or one chunk of a stream.
#[derive(Deserialize)]
pub(super) struct ChatCompletion {
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) choices: Option<Vec<Choice>>,
    #[serde(default, deserialize_with = "deserialize_usage")]
    pub(super) usage: Option<CompletionUsage>,
    #[serde(default)]
    pub(super) x_groq: Option<XGroq>,
    #[serde(default)]
    pub(super) error: Option<Value>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) provider: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) service_tier: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) system_fingerprint: Option<String>,
    #[serde(default)]
    pub(super) citations: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct XGroq {
    #[serde(default, deserialize_with = "deserialize_usage")]
    pub(super) usage: Option<CompletionUsage>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) index: Option<u64>,
    /// Set in a complete response.
    #[serde(default)]
    pub(super) message: Option<ChoiceMessage>,
    /// Set in a chunk.
    #[serde(default)]
    pub(super) delta: Option<ChoiceMessage>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) finish_reason: Option<String>,
    #[serde(default)]
    pub(super) logprobs: Option<Value>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// The message of an assistant, complete or as a delta.
#[derive(Default, Deserialize)]
pub(super) struct ChoiceMessage {
    #[serde(default)]
    pub(super) content: ChoiceContent,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) reasoning_content: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) reasoning: Option<String>,
    #[serde(default)]
    pub(super) reasoning_details: Option<Vec<Value>>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) refusal: Option<String>,
    #[serde(default, deserialize_with = "deserialize_calls")]
    pub(super) tool_calls: Vec<ChoiceToolCall>,
    /// The deprecated predecessor of `tool_calls`.
    #[serde(default)]
    pub(super) function_call: Option<ToolCallFunction>,
    #[serde(default)]
    pub(super) images: Option<Vec<GeneratedImage>>,
    #[serde(default)]
    pub(super) extra_content: Option<Value>,
    #[serde(default)]
    pub(super) annotations: Option<Value>,
    #[serde(default)]
    pub(super) audio: Option<Value>,
}

#[derive(Default, Deserialize)]
pub(super) struct ChoiceToolCall {
    #[serde(default, deserialize_with = "deserialize_index")]
    pub(super) index: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_id")]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) function: Option<ToolCallFunction>,
    /// Some servers send the fields of the function next to the id.
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) name: Option<String>,
    #[serde(default, deserialize_with = "json_text")]
    pub(super) arguments: String,
    #[serde(default)]
    pub(super) extra_content: Option<Value>,
}

impl ChoiceMessage {
    /// Removes and returns the calls. A call in the deprecated field gets index 0.
    pub(super) fn take_calls(&mut self) -> impl Iterator<Item = ChoiceToolCall> + use<> {
        let old = self.function_call.take().map(|function| ChoiceToolCall {
            index: Some(0),
            function: Some(function),
            ..ChoiceToolCall::default()
        });
        std::mem::take(&mut self.tool_calls).into_iter().chain(old)
    }

    /// Returns whether the message has no text, thoughts, refusal, images or calls.
    pub(super) fn is_empty(&self) -> bool {
        let is_blank = |text: &Option<String>| text.as_ref().is_none_or(String::is_empty);
        self.content == ChoiceContent::default()
            && [&self.reasoning_content, &self.reasoning, &self.refusal].into_iter().all(is_blank)
            && self.reasoning_details.as_ref().is_none_or(Vec::is_empty)
            && self.images.as_ref().is_none_or(Vec::is_empty)
            && self.tool_calls.is_empty()
            && self.function_call.is_none()
    }
}

#[derive(Default, Deserialize)]
pub(super) struct ToolCallFunction {
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) name: Option<String>,
    /// JSON as text. Some servers send a JSON value instead.
    #[serde(default, deserialize_with = "json_text")]
    pub(super) arguments: String,
}

#[derive(Deserialize)]
pub(super) struct GeneratedImage {
    #[serde(default)]
    pub(super) image_url: Option<GeneratedImageUrl>,
}

#[derive(Deserialize)]
pub(super) struct GeneratedImageUrl {
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) url: Option<String>,
}

#[derive(Default, Deserialize)]
pub(super) struct CompletionUsage {
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) total_tokens: Option<u64>,
    #[serde(default)]
    pub(super) prompt_tokens_details: Option<TokenDetails>,
    #[serde(default)]
    pub(super) completion_tokens_details: Option<TokenDetails>,
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) prompt_cache_hit_tokens: Option<u64>,
    #[serde(default)]
    pub(super) cost: Option<Value>,
}

#[derive(Default, Deserialize)]
pub(super) struct TokenDetails {
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) cached_tokens: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) reasoning_tokens: Option<u64>,
}

/// Deserializes a list of calls, or one call.
fn deserialize_calls<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ChoiceToolCall>, D::Error> {
    let calls = match Value::deserialize(deserializer)? {
        Value::Array(calls) => calls,
        call @ Value::Object(_) => vec![call],
        _ => return Ok(Vec::new()),
    };
    let calls = calls.into_iter().filter(|call| !call.is_null());
    calls.map(|call| ChoiceToolCall::deserialize(call).map_err(D::Error::custom)).collect()
}

/// Deserializes the token counts. Anything that is not an object of counts becomes `None`, because the response is
/// still usable.
fn deserialize_usage<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<CompletionUsage>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// Deserializes an index, which may be a string; any other value becomes `None`.
fn deserialize_index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text.trim().parse().ok()),
        number => deserialize_count(number).map_err(D::Error::custom),
    }
}

/// Deserializes an id, which may be a number; any other value becomes `None`.
fn deserialize_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// The text and thoughts of a `content`, which is a string, a list of blocks, or null.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ChoiceContent {
    pub(super) text: String,
    pub(super) reasoning: String,
}

/// A block of a list. Mistral's thoughts are a nested list.
#[derive(Deserialize)]
struct ContentBlock {
    #[serde(default, deserialize_with = "deserialize_text")]
    text: Option<String>,
    #[serde(default)]
    thinking: ChoiceContent,
}

impl<'de> Deserialize<'de> for ChoiceContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut content = Self::default();
        match Value::deserialize(deserializer)? {
            Value::String(text) => content.text = text,
            Value::Null => {}
            Value::Array(blocks) => {
                for block in blocks {
                    let block = ContentBlock::deserialize(block).map_err(D::Error::custom)?;
                    content.text.push_str(block.text.as_deref().unwrap_or_default());
                    content.reasoning.push_str(&block.thinking.text);
                }
            }
            _ => return Err(D::Error::custom("`content` must be text or a list of blocks")),
        }
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> ChoiceMessage {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn content_may_be_text_null_or_a_list() {
        assert_eq!(read(r#"{"content": "a"}"#).content.text, "a");
        assert_eq!(read(r#"{"content": null}"#).content, ChoiceContent::default());
        let list = r#"{"content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": "a"}, {"type": "reference", "reference_ids": [1]}]}"#;
        assert_eq!(read(list).content, ChoiceContent { text: "a".into(), reasoning: "hm".into() });
    }

    #[test]
    fn fields_of_another_type_are_nothing() {
        let message = read(r#"{"refusal": 7, "reasoning": {"a": [1]}, "tool_calls": null}"#);
        assert!(
            message.refusal.is_none()
                && message.reasoning.is_none()
                && message.tool_calls.is_empty()
        );
        let counts = r#"{"prompt_tokens": 12.0, "completion_tokens": -1, "total_tokens": "x"}"#;
        let counts: CompletionUsage = serde_json::from_str(counts).unwrap();
        assert_eq!((counts.prompt_tokens, counts.completion_tokens), (Some(12), None));
        assert_eq!(counts.total_tokens, None);
        let odd: ChatCompletion = serde_json::from_str(r#"{"usage": "none"}"#).unwrap();
        assert!(odd.usage.is_none());
    }

    #[test]
    fn arguments_may_be_json_itself() {
        let call = r#"{"name": "add", "arguments": {"a": 1}}"#;
        let call: ToolCallFunction = serde_json::from_str(call).unwrap();
        assert_eq!(call.arguments, r#"{"a":1}"#);
    }

    #[test]
    fn calls_may_be_one_call_with_an_index_as_text() {
        let one = read(r#"{"tool_calls": {"index": "2", "id": 7, "name": "add"}}"#);
        let call = &one.tool_calls[0];
        assert_eq!((call.index, call.id.as_deref()), (Some(2), Some("7")));
        assert_eq!(call.name.as_deref(), Some("add"));
        assert!(read(r#"{"tool_calls": "no"}"#).tool_calls.is_empty());
        let odd = read(r#"{"tool_calls": [null, {"index": -1}, {"index": "x"}]}"#);
        assert!(odd.tool_calls.iter().all(|call| call.index.is_none()));
    }
}
