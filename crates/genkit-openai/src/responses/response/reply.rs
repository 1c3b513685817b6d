//! The reply, read leniently: servers leave out, add and mistype fields.

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;
use serde_json::value::RawValue;

use genkit_core::Usage;
use genkit_model::internal::lenient::{count, text};

/// A response: the body of an answer, and what events of its beginning and its end hold.
#[derive(Default, Deserialize)]
pub(super) struct ResponseObject {
    #[serde(default, deserialize_with = "text")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "text")]
    pub(super) model: Option<String>,
    #[serde(default, deserialize_with = "text")]
    pub(super) status: Option<String>,
    #[serde(default, deserialize_with = "text")]
    pub(super) service_tier: Option<String>,
    #[serde(default, deserialize_with = "list")]
    pub(super) output: Option<Vec<Value>>,
    #[serde(default)]
    pub(super) error: Option<Value>,
    #[serde(default)]
    pub(super) incomplete_details: Option<Value>,
    #[serde(default, deserialize_with = "usage")]
    pub(super) usage: Usage,
}

impl ResponseObject {
    /// Why it is not whole.
    pub(super) fn reason(&self) -> Option<&str> {
        self.incomplete_details.as_ref()?.get("reason")?.as_str()
    }
}

/// One event of a stream; each kind has some of the fields.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", default, deserialize_with = "text")]
    pub(super) kind: Option<String>,
    #[serde(default, deserialize_with = "count")]
    pub(super) output_index: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub(super) summary_index: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub(super) content_index: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub(super) delta: Option<String>,
    #[serde(default, deserialize_with = "text")]
    pub(super) arguments: Option<String>,
    #[serde(default)]
    pub(super) item: Option<Value>,
    /// At the beginning of a stream it is long, and nobody reads it.
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// A list; anything else is none.
fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Value>>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Array(list) => Some(list),
        _ => None,
    })
}

#[derive(Default, Deserialize)]
struct UsageObject {
    #[serde(default, deserialize_with = "count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    total_tokens: Option<u64>,
    #[serde(default)]
    input_tokens_details: Value,
    #[serde(default)]
    output_tokens_details: Value,
}

/// What was used, as far as it can be read.
fn usage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Usage, D::Error> {
    let counts = UsageObject::deserialize(Value::deserialize(deserializer)?).unwrap_or_default();
    Ok({
        let mut usage = Usage::default();
        usage.input_tokens = counts.input_tokens;
        usage.output_tokens = counts.output_tokens;
        usage.total_tokens = counts.total_tokens;
        usage.thoughts_tokens = counts.output_tokens_details["reasoning_tokens"].as_u64();
        usage.cached_content_tokens = counts.input_tokens_details["cached_tokens"].as_u64();
        usage
    })
}
