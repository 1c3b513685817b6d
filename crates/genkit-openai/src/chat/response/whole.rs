//! Conversion of a completion to a response.

use serde_json::{Map, Value};

use super::body::{ChatCompletion, Choice, ChoiceMessage, CompletionUsage, GeneratedImage};
use super::calls::{
    AssembledCall, DecodedCall, MAX_CALLS, TooManyCalls, ToolCallAssembler, drop_repeated,
};
use super::finish_reason::{finish_reason, is_incomplete, is_placeholder};
use crate::chat::error::Error as E;
use crate::chat::metadata::{EXTRA_CONTENT, REASONING_DETAILS};
use crate::wire::models::Target;
use crate::wire::response::error;
use crate::wire::servers::Deviations;
use genkit_core::internal::names::Names;
use genkit_core::{Error, Result};
use genkit_core::{FinishReason, ModelRequest, ModelResponse, Usage};
use genkit_core::{Message, Part, Role};
use genkit_model::internal::data_url::DataUrl;
use genkit_model::internal::http::Error as HttpError;
use genkit_model::internal::signature;
use genkit_model::internal::signature::GEMINI;
use genkit_schema::internal::bounded_json::parse_response;

/// Decodes a complete response.
pub(in crate::chat) fn decode_response(
    target: &Target<'_>,
    request: &ModelRequest,
    body: &[u8],
) -> Result<ModelResponse> {
    let answer: ChatCompletion =
        parse_response(body).map_err(|error| HttpError::from_json(target.provider, &error))?;
    if let Some(error) = &answer.error {
        return Err(error::error_in_response(target.provider, error));
    }
    let mut response = CompletionBuilder { is_ended: true, ..CompletionBuilder::default() };
    let mut answer = response.take_metadata(answer);
    let Some(choice) = first_choice(&mut answer) else {
        return Err(E::MissingChoices { provider: target.provider.to_owned() }.into());
    };
    if let Some(error) = &choice.error {
        return Err(error::error_in_response(target.provider, error));
    }
    let message = choice.message.or(choice.delta).unwrap_or_default();
    response.set_finish_reason(choice.finish_reason);
    response.add_logprobs(choice.logprobs);
    response.set_message(message, target, request)?;
    Ok(response.build())
}

/// Returns the first choice by index.
pub(super) fn first_choice(answer: &mut ChatCompletion) -> Option<Choice> {
    let choices = answer.choices.take()?;
    choices.into_iter().min_by_key(|choice| choice.index.unwrap_or(0))
}

/// A response that is being assembled.
#[derive(Default)]
pub(super) struct CompletionBuilder {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) details: Vec<Value>,
    pub(super) refusal: String,
    pub(super) media: Vec<Part>,
    pub(super) calls: Vec<Part>,
    pub(super) extra: Option<Value>,
    /// Whether the response is complete.
    pub(super) is_ended: bool,
    /// Whether the last call has no arguments so far.
    pub(super) is_last_bare: bool,
    finish: Option<String>,
    usage: Usage,
    custom: Map<String, Value>,
}

impl CompletionBuilder {
    /// Stores the fields of a completion other than its choices. Returns the remaining completion.
    pub(super) fn take_metadata(&mut self, mut answer: ChatCompletion) -> ChatCompletion {
        for (key, text) in [
            ("id", answer.id.take()),
            ("model", answer.model.take()),
            ("provider", answer.provider.take()),
            ("serviceTier", answer.service_tier.take()),
            ("systemFingerprint", answer.system_fingerprint.take()),
        ] {
            if let Some(text) = text.filter(|_| !self.custom.contains_key(key)) {
                self.custom.insert(key.to_owned(), Value::String(text));
            }
        }
        self.add_custom("citations", answer.citations.take());
        let counts = answer.usage.take().or_else(|| answer.x_groq.take()?.usage);
        if let Some(counts) = counts {
            read_usage(&mut self.usage, counts);
        }
        answer
    }

    /// Stores a value in the custom data.
    pub(super) fn add_custom(&mut self, key: &str, value: Option<Value>) {
        let empty = |value: &Value| match value {
            Value::Null => true,
            Value::Array(list) => list.is_empty(),
            _ => false,
        };
        if let Some(value) = value.filter(|value| !empty(value)) {
            self.custom.insert(key.to_owned(), value);
        }
    }

    /// Stores the token probabilities; in a stream, appends them.
    pub(super) fn add_logprobs(&mut self, probabilities: Option<Value>) {
        let known =
            self.custom.get_mut("logprobs").and_then(|it| it.get_mut("content")?.as_array_mut());
        match (known, probabilities) {
            (Some(known), Some(Value::Object(mut more))) => {
                if let Some(Value::Array(more)) = more.get_mut("content") {
                    known.append(more);
                }
            }
            (_, probabilities) => self.add_custom("logprobs", probabilities),
        }
    }

    pub(super) fn set_finish_reason(&mut self, reason: Option<String>) {
        self.finish = reason.or(self.finish.take());
    }

    fn set_message(
        &mut self,
        mut message: ChoiceMessage,
        target: &Target<'_>,
        request: &ModelRequest,
    ) -> Result<()> {
        let names = request.tool_names();
        let mut calls = ToolCallAssembler::new(sent_names(request, &names));
        for call in message.take_calls() {
            calls.add_entry(call).map_err(|TooManyCalls| too_many_calls(target))?;
        }
        self.set_calls(decode_calls(&calls, request, &names, target.deviations));
        self.text = message.content.text;
        self.details = message.reasoning_details.unwrap_or_default();
        let thoughts =
            [message.reasoning_content, message.reasoning, Some(message.content.reasoning)];
        self.reasoning =
            thoughts.into_iter().flatten().find(|it| !it.is_empty()).unwrap_or_default();
        self.refusal = message.refusal.unwrap_or_default();
        self.media = message.images.into_iter().flatten().filter_map(generated_image).collect();
        self.extra = message.extra_content;
        self.add_custom("annotations", message.annotations);
        self.add_custom("audio", message.audio);
        Ok(())
    }

    pub(super) fn set_calls(&mut self, calls: Vec<DecodedCall>) {
        self.is_last_bare = calls.last().is_some_and(|call| call.is_bare);
        self.calls = calls.into_iter().map(|call| call.part).collect();
    }

    /// Builds the response.
    pub(super) fn build(mut self) -> ModelResponse {
        // A call that ended before its arguments arrived is shown but not run.
        let finish = self.finish.as_deref().filter(|reason| !is_placeholder(reason));
        let cut = finish.map_or(!self.is_ended, is_incomplete);
        if cut
            && self.is_last_bare
            && let Some(Part::ToolRequest { tool_request, .. }) = self.calls.last_mut()
        {
            tool_request.partial = true;
        }
        let mut content = Vec::with_capacity(2 + self.calls.len());
        let reasoning = if self.reasoning.is_empty() {
            self.details.iter().filter_map(detail_text).collect()
        } else {
            self.reasoning
        };
        if !reasoning.is_empty() || !self.details.is_empty() {
            let mut part = Part::reasoning(reasoning);
            if !self.details.is_empty() {
                part = part.with_metadata(REASONING_DETAILS, self.details);
            }
            content.push(part);
        }
        if !self.text.is_empty() {
            content.push(Part::text(self.text));
        }
        content.extend(self.media);
        let calls = content.len();
        content.extend(self.calls);
        if let Some(extra) = self.extra.filter(Value::is_object) {
            // A signature of the whole message is attached to its first call, or to its text.
            let at = if calls < content.len() { calls } else { calls.saturating_sub(1) };
            if let Some(part) = content.get_mut(at) {
                store_extra(part, extra);
            }
        }
        let mut response = ModelResponse::default();
        response.message = Some(Message::new(Role::Model, content));
        response.finish_reason = Some(finish_reason(self.finish.as_deref()));
        response.usage = self.usage;
        response.custom = self.custom;
        if !self.refusal.is_empty() {
            response.finish_reason = Some(FinishReason::Blocked);
            response.finish_message = Some(self.refusal);
        } else if response.finish_reason == Some(FinishReason::Other) {
            response.finish_message = self.finish;
        }
        response
    }
}

/// Updates the counts; later chunks of a stream may have fewer of them.
fn read_usage(usage: &mut Usage, counts: CompletionUsage) {
    let (prompt, completion) = (counts.prompt_tokens_details, counts.completion_tokens_details);
    let cached =
        prompt.and_then(|details| details.cached_tokens).or(counts.prompt_cache_hit_tokens);
    let thoughts = completion.and_then(|details| details.reasoning_tokens);
    for (known, new) in [
        (&mut usage.input_tokens, counts.prompt_tokens),
        (&mut usage.output_tokens, counts.completion_tokens),
        (&mut usage.total_tokens, counts.total_tokens),
        (&mut usage.thoughts_tokens, thoughts),
        (&mut usage.cached_content_tokens, cached),
    ] {
        *known = new.or(*known);
    }
    if let Some(cost) = counts.cost.filter(Value::is_number) {
        usage.custom.insert("cost".to_owned(), cost);
    }
}

/// Stores the extra content in the metadata of a part, and a thought signature also under Genkit's own key.
fn store_extra(part: &mut Part, extra: Value) {
    let metadata = part.metadata_mut();
    if let Some(Value::String(signature)) = extra.pointer("/google/thought_signature") {
        signature::add_signature(metadata, signature.as_str().into(), GEMINI);
    }
    metadata.entry(EXTRA_CONTENT).or_insert(extra);
}

/// Returns the text of one of OpenRouter's reasoning details.
pub(super) fn detail_text(detail: &Value) -> Option<&str> {
    detail.get("text").or_else(|| detail.get("summary"))?.as_str()
}

pub(super) fn generated_image(image: GeneratedImage) -> Option<Part> {
    let url = image.image_url?.url?;
    let inline = DataUrl::from_url(&url).filter(|inline| inline.data.is_some());
    let kind = inline.map_or("image/png", DataUrl::media_type).to_owned();
    Some(Part::media(url, kind))
}

/// Returns the names of the tools as they were sent.
pub(super) fn sent_names(request: &ModelRequest, names: &Names<'_>) -> Vec<String> {
    request.tools.iter().map(|tool| names.sent_name(&tool.name).into_owned()).collect()
}

/// Converts the calls to parts, without repetitions.
pub(super) fn decode_calls(
    calls: &ToolCallAssembler,
    request: &ModelRequest,
    names: &Names<'_>,
    deviations: &Deviations,
) -> Vec<DecodedCall> {
    let decode = |call: AssembledCall| {
        let is_bare = call.called.arguments.trim().is_empty();
        let called = call.called.into_request(request, names, deviations.strict_tools);
        let mut part = Part::tool_request(called);
        if let Some(extra) = call.extra.filter(Value::is_object) {
            store_extra(&mut part, extra);
        }
        DecodedCall { place: call.place, is_bare, part }
    };
    drop_repeated(calls.assemble().into_iter().map(decode).collect())
}

pub(super) fn too_many_calls(target: &Target<'_>) -> Error {
    E::TooManyCalls { provider: target.provider.to_owned(), limit: MAX_CALLS }.into()
}
