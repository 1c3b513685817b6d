//! A message in the format of chat completions.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::wire::request::messages::MessageContent;
use crate::wire::request::tools::arguments_text;

/// An encoded message.
#[derive(Serialize)]
pub(super) struct MessageParam<'a> {
    pub(super) role: &'static str,
    /// The content. `None`, which is sent as null, if an assistant message contains only tool calls.
    pub(super) content: Option<MessageContent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_details: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra_content: Option<ExtraContent<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<ToolCallParam<'a>>,
}

#[derive(Serialize)]
pub(super) struct ToolCallParam<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) r#type: &'static str,
    pub(super) function: FunctionCallParam<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra_content: Option<ExtraContent<'a>>,
}

#[derive(Serialize)]
pub(super) struct FunctionCallParam<'a> {
    pub(super) name: Cow<'a, str>,
    #[serde(serialize_with = "arguments_text")]
    pub(super) arguments: &'a Value,
}

/// Extra content of a part that a server expects to receive back.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub(super) enum ExtraContent<'a> {
    Given(&'a Value),
    /// A thought signature that was received from the Gemini API.
    Signature {
        google: GoogleExtra<'a>,
    },
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct GoogleExtra<'a> {
    pub(super) thought_signature: &'a str,
}

impl<'a> ExtraContent<'a> {
    pub(super) fn with_signature(thought_signature: &'a str) -> Self {
        Self::Signature { google: GoogleExtra { thought_signature } }
    }
}

impl<'a> MessageParam<'a> {
    pub(super) fn new(role: &'static str, content: Option<MessageContent<'a>>) -> Self {
        Self {
            role,
            content,
            tool_call_id: None,
            reasoning_content: None,
            reasoning: None,
            reasoning_details: None,
            extra_content: None,
            tool_calls: Vec::new(),
        }
    }
}
