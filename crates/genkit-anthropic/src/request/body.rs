//! The body of a request.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::block::MessageBlock;
use super::cache;
use super::messages::encode_conversation;
use super::settings::SentSettings;
use super::thinking::{ThinkingContext, ThinkingParam, ThinkingPlan};
use super::tool_search::ToolSearch;
use super::tools::{self, ClaudeTool, ClaudeToolChoice};
use crate::NAME;
use crate::models::ClaudeTraits;
use crate::schema::OutputDialect;
use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_core::internal::model::MessageList;

/// The purpose of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Answer {
        stream: bool,
    },
    /// Counting the tokens of the request.
    Count,
}

/// The model and purpose of a request.
#[derive(Clone, Copy)]
pub(super) struct RequestTarget<'a> {
    pub(super) model: &'a str,
    pub(super) traits: ClaudeTraits,
    pub(super) purpose: Purpose,
}

/// An encoded body, and whether it refers to files by id.
pub(super) struct WrittenBody {
    pub(super) bytes: Vec<u8>,
    pub(super) has_files: bool,
}

pub(super) fn encode_body(
    target: RequestTarget<'_>,
    request: &ModelRequest,
) -> Result<WrittenBody> {
    let config = &request.config;
    let names = request.tool_names();
    let search = ToolSearch::from_request(target, request, &names);
    let list = MessageList::from_request(request, (NAME, search.is_on()));
    let mut conversation = encode_conversation(request, &names, &search, list.from)?;
    let has_files = conversation.has_files();
    let is_open = has_files || conversation.ends_open || conversation.is_marked();
    let format = output_schema(&target, request);
    if let Some(Err(schema)) = &format {
        conversation.system.push(MessageBlock::text_block(in_words(schema)));
    }
    let mut tools = tools::encode_tools(request, &names, &search);
    let is_automatic = config.get("cache_control").is_some_and(Value::is_object);
    cache::limit_breakpoints(target.model, &mut tools, &mut conversation, is_automatic);
    let given = config.get("max_tokens").or_else(|| config.get("maxOutputTokens"));
    let max_tokens = given.and_then(Value::as_u64).and_then(|it| u32::try_from(it).ok());
    let plan = ThinkingPlan::new(
        config,
        &ThinkingContext {
            model: target.model,
            traits: target.traits,
            max_tokens,
            is_forced: tools::is_forced(request),
            is_thoughtless_round: conversation.is_thoughtless_round,
        },
    )?;
    let rest = MessagesParams {
        target,
        settings: SentSettings {
            config,
            model: target.model,
            traits: target.traits,
            thinks: plan.is_on(),
            is_count: target.purpose == Purpose::Count,
        },
        max_tokens: max_tokens
            .unwrap_or_else(|| target.traits.default_max_output(plan.budget, plan.is_deep())),
        thinking: plan.thinking,
        output: OutputConfigParam {
            given: config.get("output_config").and_then(Value::as_object),
            effort: plan.effort.as_deref(),
            format: format.and_then(std::result::Result::ok),
        },
        system: conversation.system,
        tools,
        choice: tools::tool_choice(request, &names),
    };
    let new = &conversation.messages[conversation.known..];
    let bytes = list.without_caching_if_open(is_open).into_body("messages", new, &rest)?;
    Ok(WrittenBody { bytes, has_files })
}

/// Returns the schema that constrains the response. The error contains a schema that must be described
/// in the prompt instead.
fn output_schema<'a>(
    target: &RequestTarget<'_>,
    request: &'a ModelRequest,
) -> Option<std::result::Result<&'a RawValue, &'a Value>> {
    let output = &request.output;
    let schema = output.schema.as_ref().filter(|_| output.constrained == Some(true))?;
    let own = request.config.get("output_config").is_some_and(|own| own.get("format").is_some());
    if own {
        return None;
    }
    let bound = target
        .traits
        .supports_output_schema
        .then(|| schema.dialect_text::<OutputDialect>("the output"));
    Some(bound.flatten().ok_or(schema))
}

fn in_words(schema: &Value) -> String {
    format!("Answer only with JSON that matches this schema, without any other text:\n\n{schema}")
}

/// The body without its `messages`.
struct MessagesParams<'a> {
    target: RequestTarget<'a>,
    settings: SentSettings<'a>,
    max_tokens: u32,
    thinking: Option<ThinkingParam<'a>>,
    output: OutputConfigParam<'a>,
    system: Vec<MessageBlock<'a>>,
    tools: Vec<ClaudeTool<'a>>,
    choice: Option<ClaudeToolChoice<'a>>,
}

struct OutputConfigParam<'a> {
    given: Option<&'a Map<String, Value>>,
    effort: Option<&'a str>,
    format: Option<&'a RawValue>,
}

#[derive(serde::Serialize)]
struct BoundOutput<'a> {
    r#type: &'static str,
    schema: &'a RawValue,
}

impl OutputConfigParam<'_> {
    fn is_empty(&self) -> bool {
        self.given.is_none() && self.effort.is_none() && self.format.is_none()
    }
}

impl Serialize for OutputConfigParam<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has = |key: &str| self.given.is_some_and(|given| given.contains_key(key));
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.given.into_iter().flatten() {
            map.serialize_entry(key, value)?;
        }
        if let Some(effort) = self.effort.filter(|_| !has("effort")) {
            map.serialize_entry("effort", effort)?;
        }
        if let Some(schema) = self.format {
            map.serialize_entry("format", &BoundOutput { r#type: "json_schema", schema })?;
        }
        map.end()
    }
}

impl Serialize for MessagesParams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.target.model)?;
        if self.target.purpose != Purpose::Count {
            map.serialize_entry("max_tokens", &self.max_tokens)?;
        }
        if !self.system.is_empty() {
            map.serialize_entry("system", &self.system)?;
        }
        if !self.tools.is_empty() {
            map.serialize_entry("tools", &self.tools)?;
        }
        let has_choice = self.settings.is_set("tool_choice");
        if let Some(choice) = self.choice.as_ref().filter(|_| !has_choice) {
            map.serialize_entry("tool_choice", choice)?;
        }
        if let Some(thinking) = &self.thinking {
            map.serialize_entry("thinking", thinking)?;
        }
        if !self.output.is_empty() {
            map.serialize_entry("output_config", &self.output)?;
        }
        for (key, value) in self.settings.sent_fields() {
            map.serialize_entry(key, value)?;
        }
        if self.target.purpose == (Purpose::Answer { stream: true }) {
            map.serialize_entry("stream", &true)?;
        }
        map.end()
    }
}
