//! An answer put together from its pieces; a whole one is a single piece.

use serde_json::{Map, Value, json};

use super::partial::Pending;
use super::response::{self, Answer, Call, Candidate};
use crate::error::Result;
use crate::message::Part;
use crate::model::sse::Event;
use crate::model::wire::{Next, WireStream};
use crate::model::{FinishReason, GenerateChunk, ModelRequest, ModelResponse, Names};

/// What was read of an answer.
pub(super) struct GeminiStream<'a> {
    names: Names<'a>,
    main: Said,
    /// Candidates beside the first.
    others: Vec<(u64, Said)>,
    /// A call whose arguments come in pieces.
    pending: Option<Pending>,
    feedback: Option<Map<String, Value>>,
    usage: Map<String, Value>,
    custom: Map<String, Value>,
}

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
        for answer in response::answers(text.as_bytes())? {
            let mut fresh = Vec::new();
            let added = self.add(answer, Some(&mut fresh));
            if !fresh.is_empty() {
                chunks.push(GenerateChunk::new(fresh));
            }
            added?;
        }
        Ok(Next::More)
    }

    fn end(self: Box<Self>) -> Result<ModelResponse> {
        Ok(self.response())
    }
}

impl<'a> GeminiStream<'a> {
    pub(super) fn new(request: &'a ModelRequest) -> Self {
        Self {
            names: Names::of(request),
            main: Said::default(),
            others: Vec::new(),
            pending: None,
            feedback: None,
            usage: Map::new(),
            custom: Map::new(),
        }
    }

    /// Adds a piece; what is new of the first candidate goes to `fresh`.
    pub(super) fn add(&mut self, answer: Answer, fresh: Option<&mut Vec<Part>>) -> Result<()> {
        if let Some(error) = answer.error {
            return Err(response::failed(error));
        }
        if let Some(usage) = answer.usage_metadata {
            // Every piece may have counts, and each replaces those before; one without any does not.
            if usage.keys().any(|key| key.ends_with("TokenCount")) || self.usage.is_empty() {
                self.usage = usage;
            }
        }
        if let Some(feedback) = answer.prompt_feedback {
            self.feedback = Some(feedback);
        }
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

    fn add_main(&mut self, candidate: Candidate, fresh: Option<&mut Vec<Part>>) -> Result<()> {
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

    fn add_other(&mut self, index: u64, candidate: Candidate) {
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
    pub(super) fn response(mut self) -> ModelResponse {
        if let Some(pending) = self.pending.take() {
            // Its end never came: such a call is shown, and not run.
            self.main.push(pending.into_partial(&self.names), None);
        }
        let mut response = ModelResponse::default();
        let reason = self.main.reason.as_deref();
        response.finish_reason =
            Some(reason.map_or(FinishReason::Unknown, response::finish_reason));
        response.finish_message = self.main.message;
        if let Some(feedback) = &self.feedback
            && !self.main.is_there
        {
            // The prompt itself was refused.
            let said = |key| feedback.get(key).and_then(Value::as_str).map(str::to_owned);
            response.finish_reason = Some(FinishReason::Blocked);
            response.finish_message = said("blockReasonMessage").or_else(|| said("blockReason"));
        }
        response.message = Some(response::message(self.main.parts));
        response.usage = response::usage(&self.usage);
        response.custom = self.custom;
        let mut keep = |key: &str, value: Value| response.custom.insert(key.to_owned(), value);
        if let Some(feedback) = self.feedback {
            keep("promptFeedback", feedback.into());
        }
        if !self.usage.is_empty() {
            keep("usageMetadata", self.usage.into());
        }
        if let Some(reason) = self.main.reason {
            keep("finishReason", reason.into());
        }
        if !self.others.is_empty() {
            keep("candidates", self.others.into_iter().map(Said::into_value).collect());
        }
        response
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
