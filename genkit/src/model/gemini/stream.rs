//! An answer put together from its pieces; a whole one is a single piece.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::partial::Pending;
use super::response::{self, Answer, Call, Candidate};
use crate::error::{Error, ErrorKind, Result};
use crate::message::Part;
use crate::model::sse::Event;
use crate::model::wire::{Next, WireStream};
use crate::model::{FinishReason, GenerateChunk, ModelRequest, ModelResponse, Names};

/// Where the counts are kept in `custom`.
const USAGE: &str = "usageMetadata";

/// Where the reason is kept why a prompt was refused.
const FEEDBACK: &str = "promptFeedback";

/// What was read of an answer.
pub(super) struct GeminiStream<'a> {
    names: Names<'a>,
    main: Said,
    /// Candidates beside the first.
    others: Vec<(u64, Said)>,
    /// A call whose arguments come in pieces.
    pending: Option<Pending>,
    kept: Kept,
    custom: Map<String, Value>,
}

/// The last text of each key, read once at the end: a stream repeats them in every event.
#[derive(Default)]
struct Kept(Vec<(&'static str, String)>);

/// What one candidate said.
#[derive(Default)]
struct Said {
    is_there: bool,
    parts: Vec<Part>,
    reason: Option<String>,
    message: Option<String>,
}

impl WireStream for GeminiStream<'_> {
    fn event(&mut self, event: &Event<'_>, chunks: &mut Vec<GenerateChunk>) -> Result<Next> {
        let text = match event {
            Event::Message { data, .. } => data.as_ref(),
            Event::Bare(text) => text,
        };
        let text = text.trim();
        // Proxies end every stream as OpenAI does; the end of the body is the end here.
        if text.is_empty() || text == "[DONE]" {
            return Ok(Next::More);
        }
        response::each(text, |answer| {
            let mut fresh = Vec::new();
            let added = self.add(answer, Some(&mut fresh));
            if !fresh.is_empty() {
                chunks.push(GenerateChunk::new(fresh));
            }
            added
        })?;
        Ok(Next::More)
    }

    fn end(self: Box<Self>) -> Result<ModelResponse> {
        self.response()
    }
}

impl<'a> GeminiStream<'a> {
    pub(super) fn new(request: &'a ModelRequest) -> Self {
        Self {
            names: Names::of(request),
            main: Said::default(),
            others: Vec::new(),
            pending: None,
            kept: Kept::default(),
            custom: Map::new(),
        }
    }

    /// Adds a piece; what is new of the first candidate goes to `fresh`.
    pub(super) fn add(&mut self, answer: Answer<'_>, fresh: Option<&mut Vec<Part>>) -> Result<()> {
        if let Some(error) = answer.error {
            return Err(response::failed(error));
        }
        // Every piece may have counts, and each replaces those before; one without any does not.
        let has_counts = |usage: &&RawValue| usage.get().contains("TokenCount");
        if answer.usage_metadata.as_ref().is_some_and(has_counts) || !self.kept.has(USAGE) {
            self.kept.keep(USAGE, answer.usage_metadata);
        }
        self.kept.keep(FEEDBACK, answer.prompt_feedback);
        self.kept.keep("modelVersion", answer.model_version);
        self.kept.keep("responseId", answer.response_id);
        self.kept.keep("createTime", answer.create_time);
        self.custom.extend(answer.rest);
        let mut fresh = fresh;
        for candidate in answer.candidates.into_iter().flatten() {
            match candidate.index.as_ref().and_then(Value::as_u64).unwrap_or(0) {
                0 => self.add_main(candidate, fresh.as_deref_mut())?,
                index => self.add_other(index, candidate),
            }
        }
        Ok(())
    }

    fn add_main(&mut self, candidate: Candidate<'_>, fresh: Option<&mut Vec<Part>>) -> Result<()> {
        self.kept.keep("safetyRatings", candidate.safety_ratings);
        self.kept.keep("groundingMetadata", candidate.grounding_metadata);
        self.custom.extend(candidate.rest);
        self.main.ends(candidate.finish_reason, candidate.finish_message);
        let mut fresh = fresh;
        for mut part in candidate.content.unwrap_or_default().parts.into_iter().flatten() {
            let piece = part
                .function_call
                .take_if(|call| call.is_piece() || (self.pending.is_some() && call.name.is_none()));
            let (said, names) = (&mut self.main, &self.names);
            match piece {
                None => part.into_parts(names, &mut |part| said.push(part, fresh.as_deref_mut())),
                Some(call) => {
                    let pending = self.pending.get_or_insert_default();
                    part.into_parts(names, &mut |part| pending.sign(part));
                    pending.add(&call)?;
                    if call.will_continue != Some(true)
                        && let Some(done) = self.pending.take()
                    {
                        said.push(done.into_part(names), fresh.as_deref_mut());
                    }
                }
            }
        }
        Ok(())
    }

    fn add_other(&mut self, index: u64, candidate: Candidate<'_>) {
        let place = self.others.iter().position(|(known, _)| *known == index);
        let place = place.unwrap_or_else(|| {
            self.others.push((index, Said::default()));
            self.others.len() - 1
        });
        let (said, names) = (&mut self.others[place].1, &self.names);
        said.ends(candidate.finish_reason, candidate.finish_message);
        for part in candidate.content.unwrap_or_default().parts.into_iter().flatten() {
            part.into_parts(names, &mut |part| said.push(part, None));
        }
    }

    /// The whole answer.
    ///
    /// # Errors
    /// There is none: something else than Gemini answers at this address.
    pub(super) fn response(mut self) -> Result<ModelResponse> {
        if !self.main.is_there && !self.kept.has(FEEDBACK) {
            let said = "gemini: the answer has no candidates";
            return Err(Error::new(ErrorKind::Unavailable, said));
        }
        if let Some(pending) = self.pending.take() {
            // Its end never came: such a call is shown, and not run.
            self.main.push(pending.into_partial(&self.names), None);
        }
        let mut response = ModelResponse::default();
        let reason = self.main.reason.as_deref();
        response.finish_reason =
            Some(reason.map_or(FinishReason::Unknown, response::finish_reason));
        response.finish_message = self.main.message;
        response.custom = self.custom;
        self.kept.read_into(&mut response.custom);
        if let Some(feedback) = response.custom.get(FEEDBACK)
            && !self.main.is_there
        {
            // The prompt itself was refused.
            let said = |key| feedback.get(key).and_then(Value::as_str).map(str::to_owned);
            response.finish_reason = Some(FinishReason::Blocked);
            response.finish_message = said("blockReasonMessage").or_else(|| said("blockReason"));
        }
        response.message = Some(response::message(self.main.parts));
        if let Some(Value::Object(counts)) = response.custom.get(USAGE) {
            response.usage = response::usage(counts);
        }
        let mut keep = |key: &str, value: Value| response.custom.insert(key.to_owned(), value);
        if let Some(reason) = self.main.reason {
            keep("finishReason", reason.into());
        }
        if !self.others.is_empty() {
            keep("candidates", self.others.into_iter().map(Said::into_value).collect());
        }
        Ok(response)
    }
}

impl Kept {
    fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == key)
    }

    fn keep(&mut self, key: &'static str, value: Option<&RawValue>) {
        let Some(value) = value else { return };
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            None => self.0.push((key, value.get().to_owned())),
            Some((_, text)) if text != value.get() => value.get().clone_into(text),
            Some(_) => {}
        }
    }

    fn read_into(&self, custom: &mut Map<String, Value>) {
        for (key, text) in &self.0 {
            // It was JSON when it came; what nests too deep for a value is left out.
            if let Ok(value) = serde_json::from_str(text) {
                custom.insert((*key).to_owned(), value);
            }
        }
    }
}

impl Said {
    fn ends(&mut self, reason: Option<String>, message: Option<String>) {
        self.is_there = true;
        self.reason = reason.or(self.reason.take());
        self.message = message.or(self.message.take());
    }

    /// Adds a part: text joins its neighbour of the same kind, unless one of them is signed.
    fn push(&mut self, part: Part, fresh: Option<&mut Vec<Part>>) {
        let text = match &part {
            Part::Text { text, .. } | Part::Reasoning { reasoning: text, .. } => Some(text),
            _ => None,
        };
        let is_plain = part.metadata().is_empty();
        if text.is_some_and(String::is_empty) && is_plain {
            return;
        }
        let joined = match (text, self.parts.last_mut(), &part) {
            (Some(more), Some(last), part) if is_plain && last.metadata().is_empty() => {
                match (last, part) {
                    (Part::Text { text, .. }, Part::Text { .. })
                    | (Part::Reasoning { reasoning: text, .. }, Part::Reasoning { .. }) => {
                        text.push_str(more);
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        };
        match (joined, fresh) {
            (true, Some(fresh)) => fresh.push(part),
            (true, None) => {}
            (false, Some(fresh)) => {
                fresh.push(part.clone());
                self.parts.push(part);
            }
            (false, None) => self.parts.push(part),
        }
    }

    fn into_value((index, said): (u64, Self)) -> Value {
        let reason = said.reason.as_deref().map_or(FinishReason::Unknown, response::finish_reason);
        json!({
            "index": index,
            "message": response::message(said.parts),
            "finishReason": reason,
            "finishMessage": said.message,
        })
    }
}

impl Call {
    fn is_piece(&self) -> bool {
        self.partial_args.is_some() || self.will_continue == Some(true)
    }
}

#[cfg(test)]
mod tests;
