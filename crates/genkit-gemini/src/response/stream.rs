//! A response assembled from its pieces; a complete response is a single piece.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::body::{self, Candidate, GenerateContentResponse};
use super::candidate::{CandidateState, Fresh};
use super::partial_args::StreamedFunctionCall;
use crate::NAME;
use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::internal::names::Names;
use genkit_core::{FinishReason, GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::http::Error as HttpError;
use genkit_model::internal::wire::{Next, WireStream};
use genkit_schema::internal::bounded_json::parse_response;

/// The key of the token counts in `custom`.
const USAGE: &str = "usageMetadata";

/// The key in `custom` of the reason why a prompt was blocked.
const FEEDBACK: &str = "promptFeedback";

/// The state of a response that is being read.
pub(crate) struct GeminiStream<'a> {
    names: Names<'a>,
    main: CandidateState,
    /// The candidates after the first, with their index.
    others: Vec<(u64, CandidateState)>,
    /// A call whose arguments arrive in pieces.
    pending: Option<StreamedFunctionCall>,
    latest: LatestFields<'a>,
    custom: Map<String, Value>,
}

/// The latest JSON text of each key. A stream repeats the keys in every event, so the texts are parsed once at the
/// end.
struct LatestFields<'a>(Vec<(&'static str, Cow<'a, str>)>);

impl WireStream for GeminiStream<'_> {
    fn read_event(&mut self, event: &SseEvent<'_>, chunks: &ChunkSink) -> Result<Next> {
        let text = event.data().trim();
        // Some proxies end every stream with `[DONE]`, as OpenAI does. Here the stream ends with
        // its body.
        if text.is_empty() || text == "[DONE]" {
            return Ok(Next::More);
        }
        self.read_each(text, |all, answer| {
            let mut fresh = match chunks.is_read() {
                true => Fresh::Parts(Vec::new()),
                false => Fresh::Unread(false),
            };
            let keep = |text: &str| Cow::Owned(text.to_owned());
            let added = all.add(answer, keep, Some(&mut fresh));
            match fresh {
                Fresh::Unread(true) => chunks.skip(),
                Fresh::Parts(content) if !content.is_empty() => {
                    chunks.send(GenerateChunk::new(content));
                }
                _ => {}
            }
            added
        })?;
        Ok(Next::More)
    }

    fn into_response(self: Box<Self>) -> Result<ModelResponse> {
        self.build_response()
    }
}

impl<'a> GeminiStream<'a> {
    pub(crate) fn new(request: &'a ModelRequest) -> Self {
        Self {
            names: request.tool_names(),
            main: CandidateState::default(),
            others: Vec::new(),
            pending: None,
            latest: LatestFields(Vec::with_capacity(4)),
            custom: Map::new(),
        }
    }

    /// Reads one response, or each element of the list that a stream without `alt=sse` sends.
    pub(super) fn read_each<'b>(
        &mut self,
        json: &'b str,
        mut read: impl FnMut(&mut Self, &mut GenerateContentResponse<'b>) -> Result<()>,
    ) -> Result<()> {
        // Some programs send a byte order mark before UTF-8.
        let json = json.trim_start_matches('\u{feff}').trim_ascii_start();
        let invalid = |error| HttpError::from_json(NAME, &error);
        if json.starts_with('[') {
            let mut all: Vec<_> = parse_response(json.as_bytes()).map_err(invalid)?;
            return all.iter_mut().try_for_each(|answer| read(self, answer));
        }
        read(self, &mut parse_response(json.as_bytes()).map_err(invalid)?)
    }

    /// Adds a piece. `keep` copies or borrows the strings to keep; new content of the first candidate
    /// is added to `fresh`.
    pub(super) fn add<'b>(
        &mut self,
        answer: &mut GenerateContentResponse<'b>,
        keep: fn(&'b str) -> Cow<'a, str>,
        fresh: Option<&mut Fresh>,
    ) -> Result<()> {
        if let Some(error) = answer.error.take() {
            return Err(error.into_error(None, &|_| None));
        }
        // The usage in a piece replaces the previous usage, unless it contains no counts.
        let counts = |usage: &&RawValue| match self.latest.latest_text(USAGE) {
            Some(last) => usage.get() != last && usage.get().contains("TokenCount"),
            None => true,
        };
        let usage = answer.usage_metadata.filter(counts);
        self.latest.replace_field(USAGE, usage, keep);
        self.latest.replace_field(FEEDBACK, answer.prompt_feedback, keep);
        self.latest.replace_field("modelVersion", answer.model_version, keep);
        self.latest.replace_field("responseId", answer.response_id, keep);
        self.latest.replace_field("createTime", answer.create_time, keep);
        self.custom.append(&mut answer.rest);
        let mut fresh = fresh;
        for candidate in answer.candidates.iter_mut() {
            match candidate.index.and_then(|index| index.get().parse().ok()).unwrap_or(0) {
                0 => self.add_main(candidate, keep, fresh.as_deref_mut())?,
                index => self.add_other(index, candidate),
            }
        }
        Ok(())
    }

    fn add_main<'b>(
        &mut self,
        candidate: &mut Candidate<'b>,
        keep: fn(&'b str) -> Cow<'a, str>,
        fresh: Option<&mut Fresh>,
    ) -> Result<()> {
        self.latest.replace_field("safetyRatings", candidate.safety_ratings, keep);
        self.latest.replace_field("groundingMetadata", candidate.grounding_metadata, keep);
        self.custom.append(&mut candidate.rest);
        self.main.read_ending(candidate.finish_reason.take(), candidate.finish_message.take());
        let mut fresh = fresh;
        for part in candidate.content.parts.iter_mut() {
            let piece = part
                .function_call
                .take_if(|call| call.is_piece() || (self.pending.is_some() && call.name.is_none()));
            let (state, names) = (&mut self.main, &self.names);
            match piece {
                // The most common case in a stream.
                None if part.plain_text().is_some_and(|text| {
                    !text.is_empty() && state.join_unread(text, fresh.as_deref_mut())
                }) => {}
                None => std::mem::take(part)
                    .into_parts(names, &mut |part| state.push_part(part, fresh.as_deref_mut())),
                Some(call) => {
                    let pending = self.pending.get_or_insert_default();
                    std::mem::take(part).into_parts(names, &mut |part| pending.add_metadata(part));
                    pending.add(&call)?;
                    if call.will_continue != Some(true)
                        && let Some(done) = self.pending.take()
                    {
                        state.push_part(done.into_part(names), fresh.as_deref_mut());
                    }
                }
            }
        }
        Ok(())
    }

    fn add_other(&mut self, index: u64, candidate: &mut Candidate<'_>) {
        let place = self.others.iter().position(|(known, _)| *known == index);
        let place = place.unwrap_or_else(|| {
            self.others.push((index, CandidateState::default()));
            self.others.len() - 1
        });
        let (state, names) = (&mut self.others[place].1, &self.names);
        state.read_ending(candidate.finish_reason.take(), candidate.finish_message.take());
        for part in candidate.content.parts.iter_mut() {
            std::mem::take(part).into_parts(names, &mut |part| state.push_part(part, None));
        }
    }

    /// Returns the complete response.
    ///
    /// # Errors
    /// Returns an error if the response has no candidate, for example because the server is not the Gemini
    /// API.
    pub(super) fn build_response(mut self) -> Result<ModelResponse> {
        if !self.main.is_there && self.latest.latest_text(FEEDBACK).is_none() {
            return Err(E::NoCandidates.into());
        }
        if let Some(pending) = self.pending.take() {
            // The call never ended, so it is shown but not run.
            self.main.push_part(pending.into_partial(&self.names), None);
        }
        let mut response = ModelResponse::default();
        let reason = self.main.reason.as_deref();
        response.finish_reason = Some(reason.map_or(FinishReason::Unknown, body::finish_reason));
        response.finish_message = self.main.message;
        response.custom = match self.custom.is_empty() {
            true => Map::with_capacity(self.latest.0.len() + 1),
            false => self.custom,
        };
        self.latest.read_into(&mut response.custom);
        if !self.main.is_there
            && let Some(feedback) = response.custom.get(FEEDBACK)
        {
            // The prompt itself was blocked.
            let text = |key| feedback.get(key).and_then(Value::as_str).map(str::to_owned);
            response.finish_reason = Some(FinishReason::Blocked);
            response.finish_message = text("blockReasonMessage").or_else(|| text("blockReason"));
        }
        response.message = Some(body::model_message(self.main.parts));
        if let Some(Value::Object(counts)) = response.custom.get(USAGE) {
            response.usage = body::read_usage(counts);
        }
        let mut insert = |key: &str, value: Value| response.custom.insert(key.to_owned(), value);
        if let Some(reason) = self.main.reason {
            insert("finishReason", reason.into());
        }
        if !self.others.is_empty() {
            insert("candidates", self.others.into_iter().map(CandidateState::into_value).collect());
        }
        Ok(response)
    }
}

impl<'a> LatestFields<'a> {
    fn latest_text(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, text)| &**text)
    }

    #[inline]
    fn replace_field<'b>(
        &mut self,
        key: &'static str,
        value: Option<&'b RawValue>,
        keep: fn(&'b str) -> Cow<'a, str>,
    ) {
        if let Some(value) = value {
            self.put_field(key, value.get(), keep);
        }
    }

    fn put_field<'b>(
        &mut self,
        key: &'static str,
        value: &'b str,
        keep: fn(&'b str) -> Cow<'a, str>,
    ) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            None => self.0.push((key, keep(value))),
            Some((_, text)) if *text != value => *text = keep(value),
            Some(_) => {}
        }
    }

    fn read_into(&self, custom: &mut Map<String, Value>) {
        for (key, text) in &self.0 {
            // The text was valid JSON when it was received. A value that is nested too deeply to parse is left out.
            if let Ok(value) = serde_json::from_str(text) {
                custom.insert((*key).to_owned(), value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
