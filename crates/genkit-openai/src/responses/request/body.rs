//! The body of a request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::item::InputItem;
use super::messages::{InputContext, encode_input};
use super::reasoning::ReasoningReturn;
use super::settings::ResponsesSettings;
use super::tool_search::ToolSearch;
use super::tools::{ResponsesTool, ResponsesToolChoice, encode_tools, text_format, tool_choice};
use crate::wire::builder::OpenAiServer;
use crate::wire::models;
use genkit_core::Result;
use genkit_core::internal::model::MessageList;
use genkit_core::{ModelRequest, ToolChoice};

/// Fields that affect the token count of a request, besides its model, input and tools.
const COUNTED: [&str; 6] = [
    "conversation",
    "parallel_tool_calls",
    "previous_response_id",
    "reasoning",
    "text",
    "truncation",
];

/// The body without its `input`.
#[derive(Serialize)]
struct ResponsesParams<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<Cow<'a, str>>,
    #[serde(flatten)]
    settings: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ResponsesTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ChosenTool<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ChosenTool<'a> {
    Given(&'a Value),
    Ours(ResponsesToolChoice<'a>),
}

/// Encodes the body of a call.
pub(in crate::responses) fn encode_body(
    server: &OpenAiServer,
    model: &str,
    request: &ModelRequest,
    stream: bool,
) -> Result<Vec<u8>> {
    encode_with(server, model, request, |request| {
        // Some models do not support streaming.
        request.stream = stream && (!server.is_openai() || models::is_streamed(request.model));
    })
}

/// Encodes the body of a call that counts tokens.
pub(in crate::responses) fn count_body(
    server: &OpenAiServer,
    model: &str,
    request: &ModelRequest,
) -> Result<Vec<u8>> {
    encode_with(server, model, request, |request| {
        request.settings.retain(|key, _| COUNTED.contains(&key.as_str()));
    })
}

fn encode_with(
    server: &OpenAiServer,
    model: &str,
    request: &ModelRequest,
    adapt: impl FnOnce(&mut ResponsesParams<'_>),
) -> Result<Vec<u8>> {
    let config = &request.config;
    let text = |key: &str| config.get(key).and_then(Value::as_str);
    let model = text("version").unwrap_or(model);
    let mut settings = ResponsesSettings { config, server, model, wants_thoughts: false };
    let names = request.tool_names();
    let searches = server.is_openai() && models::searches_tools(model);
    let search = ToolSearch::from_request(request, &names, searches);
    let context = InputContext {
        names: &names,
        search: &search,
        reasoning: ReasoningReturn {
            server: &server.server,
            reasons: settings.has_reasoning(),
            stored: settings.is_stored(),
        },
        continues: ["previousResponseId", "previous_response_id", "conversation"]
            .iter()
            .any(|key| config.contains_key(*key)),
        detail: text("visualDetailLevel"),
    };
    let back = context.reasoning;
    let shape = ("responses", model, back.server, back.reasons, back.stored, search.is_enabled());
    let list = MessageList::from_request(request, (shape, context.continues, context.detail));
    let input = encode_input(request, &context, list.from)?;
    let tools = encode_tools(request, &names, &search, &server.deviations);
    settings.wants_thoughts = (!tools.is_empty() && request.tool_choice != Some(ToolChoice::None))
        || input.items.iter().any(|item| matches!(item, InputItem::Reasoning(_)));
    let choice = match config.get("tool_choice") {
        Some(given) => Some(ChosenTool::Given(given)),
        None => tool_choice(request, &names).map(ChosenTool::Ours),
    };
    let mut rest = ResponsesParams {
        model,
        instructions: text("instructions").map(Cow::Borrowed).or(input.instructions),
        settings: settings.sent_settings(text_format(request, &server.deviations)),
        tools,
        tool_choice: choice,
        stream: false,
    };
    adapt(&mut rest);
    let new = &input.items[input.known..];
    Ok(list.without_caching_if_open(input.is_open).into_body("input", new, &rest)?)
}
