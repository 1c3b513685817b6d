//! The format of responses, parsed leniently because servers omit, add and mistype fields.

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;
use serde_json::value::RawValue;

use genkit_core::Usage;
use genkit_model::internal::lenient::{deserialize_count, deserialize_text};

/// A response: the body of a complete response, and part of the first and last events of a stream.
#[derive(Default, Deserialize)]
pub(super) struct ResponseObject {
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) model: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) status: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) service_tier: Option<String>,
    #[serde(default, deserialize_with = "deserialize_list")]
    pub(super) output: Option<Vec<Value>>,
    #[serde(default)]
    pub(super) error: Option<Value>,
    #[serde(default)]
    pub(super) incomplete_details: Option<Value>,
    #[serde(default, deserialize_with = "deserialize_usage")]
    pub(super) usage: Usage,
}

impl ResponseObject {
    /// Returns the reason why the response is incomplete.
    pub(super) fn incomplete_reason(&self) -> Option<&str> {
        self.incomplete_details.as_ref()?.get("reason")?.as_str()
    }
}

/// An event of a stream. Each kind of event sets some of the fields.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", default, deserialize_with = "deserialize_text")]
    pub(super) kind: Option<String>,
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) output_index: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) summary_index: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    pub(super) content_index: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) delta: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text")]
    pub(super) arguments: Option<String>,
    #[serde(default)]
    pub(super) item: Option<Value>,
    /// Raw, because it is long in the first event and not needed there.
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// Deserializes a list; any other value becomes `None`.
fn deserialize_list<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<Value>>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Array(list) => Some(list),
        _ => None,
    })
}

#[derive(Default, Deserialize)]
struct UsageObject {
    #[serde(default, deserialize_with = "deserialize_count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_count")]
    total_tokens: Option<u64>,
    #[serde(default)]
    input_tokens_details: Value,
    #[serde(default)]
    output_tokens_details: Value,
}

/// Deserializes the usage, ignoring invalid values.
fn deserialize_usage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Usage, D::Error> {
    let counts = UsageObject::deserialize(Value::deserialize(deserializer)?).unwrap_or_default();
    let mut usage = Usage::default();
    usage.input_tokens = counts.input_tokens;
    usage.output_tokens = counts.output_tokens;
    usage.total_tokens = counts.total_tokens;
    usage.thoughts_tokens = counts.output_tokens_details["reasoning_tokens"].as_u64();
    usage.cached_content_tokens = counts.input_tokens_details["cached_tokens"].as_u64();
    Ok(usage)
}
