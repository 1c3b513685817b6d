//! Suspended calls: the state of an interrupted call, stored in the metadata of its request.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{Question, QuestionKind, Recording};
use crate::error::{Error, Result};
use crate::generate::error::Error as E;
use crate::message::{Part, ToolRequest};
use genkit_schema::internal::truncate::truncate;
use genkit_untrusted::visible;

/// The keys of a part's metadata. All except `SUSPENDED` and `ANSWERS` are defined by Genkit.
pub const INTERRUPT: &str = "interrupt";
pub const RESOLVED: &str = "resolvedInterrupt";
pub const PENDING_OUTPUT: &str = "pendingOutput";
pub const PENDING_CONTENT: &str = "pendingContent";
pub const PENDING_METADATA: &str = "pendingMetadata";
pub const RESUMED: &str = "resumed";
pub const REPLACED_INPUT: &str = "replacedInput";
pub const SUSPENDED: &str = "suspended";
pub const ANSWERS: &str = "answers";

/// The key of a question about the call as a whole, as opposed to questions that its function asks.
pub const CALL_KEY: &str = "call";

/// The version of the stored format of a suspended call.
const VERSION: u32 = 1;

/// An interrupted call, with all data needed to run it again in any process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suspended {
    version: u32,
    pub questions: Vec<Question>,
    #[serde(default)]
    pub recording: Recording,
}

impl Suspended {
    pub fn new(questions: Vec<Question>, recording: Recording) -> Self {
        Self { version: VERSION, questions, recording }
    }

    /// Creates the suspended state of a call that middleware interrupted before it ran.
    pub fn from_metadata(metadata: Value) -> Self {
        Self::new(vec![about_call(visible::escape_question(metadata))], Recording::default())
    }

    /// Adds the recorded results of an earlier run of the call. Also adds the answer to the question about the call as
    /// a whole, unless that question is open again.
    pub fn merge_earlier(&mut self, earlier: &Self) {
        let answered = earlier.recording.answers.get(CALL_KEY);
        if let Some(answer) = answered
            && self.questions.iter().all(|open| open.key != CALL_KEY)
        {
            self.recording.answers.insert(CALL_KEY.to_owned(), answer.clone());
        }
        for (key, done) in &earlier.recording.once {
            self.recording.once.entry(key.clone()).or_insert_with(|| done.clone());
        }
    }

    /// Writes the suspended state into the metadata of its request.
    pub fn write(self, part: &mut Part) {
        let metadata = part.metadata_mut();
        let shown = self.questions.first().map_or(Value::Bool(true), |open| open.kind.to_json());
        metadata.insert(INTERRUPT.to_owned(), shown);
        let stored = serde_json::to_value(&self).unwrap_or_default();
        metadata.insert(SUSPENDED.to_owned(), stored);
    }

    /// Reads the suspended state from the metadata of a request. Returns `None` if the call was suspended by another
    /// implementation of Genkit.
    pub fn read(metadata: &Map<String, Value>) -> Result<Option<Self>> {
        let Some(stored) = metadata.get(SUSPENDED) else { return Ok(None) };
        let version = stored.get("version").and_then(Value::as_u64);
        if version != Some(u64::from(VERSION)) {
            let stored = version.map_or("unknown".to_owned(), |version| version.to_string());
            return Err(E::SuspendedVersion { stored, known: VERSION }.into());
        }
        let read = serde_json::from_value(stored.clone());
        read.map(Some).map_err(|e| Error::from(E::SuspendedCall(e.to_string())).with_source(e))
    }
}

/// Creates a question about a call as a whole.
pub fn about_call(metadata: Value) -> Question {
    Question { key: CALL_KEY.to_owned(), kind: QuestionKind::Interrupt { metadata } }
}

/// Removes the open questions from a request.
pub fn close_request(request: &mut Part) {
    let metadata = request.metadata_mut();
    metadata.shift_remove(INTERRUPT);
    metadata.shift_remove(SUSPENDED);
}

/// Stores the response of a call in the metadata of its request, while other calls of the round wait for answers.
pub fn set_pending(request: &mut Part, answer: Part) {
    let Part::ToolResponse { tool_response, metadata: of_answer } = answer else { return };
    let metadata = request.metadata_mut();
    metadata.insert(PENDING_OUTPUT.to_owned(), tool_response.output);
    if !tool_response.content.is_empty() {
        let content = serde_json::to_value(tool_response.content).unwrap_or_default();
        metadata.insert(PENDING_CONTENT.to_owned(), content);
    }
    if !of_answer.is_empty() {
        metadata.insert(PENDING_METADATA.to_owned(), of_answer.into());
    }
}

/// Returns the response that a call returned while other calls of its round waited for answers, if any.
pub fn pending_answer(
    request: &ToolRequest,
    metadata: &Map<String, Value>,
) -> Result<Option<Part>> {
    let Some(output) = metadata.get(PENDING_OUTPUT) else { return Ok(None) };
    let mut response = request.respond(output.clone());
    if let Some(content) = metadata.get(PENDING_CONTENT) {
        response.content = serde_json::from_value(content.clone())
            .map_err(|e| E::PendingContent(e.to_string()))?;
    }
    let mut part = Part::tool_response(response).with_metadata("source", "pending");
    if let Some(Value::Object(of_answer)) = metadata.get(PENDING_METADATA) {
        part.metadata_mut().extend(of_answer.clone());
    }
    Ok(Some(part))
}

/// Replaces the input of a request. The model's input is kept in the metadata.
pub fn replace_input(request: &mut Part, input: Value) {
    let Part::ToolRequest { tool_request, metadata } = request else { return };
    let before = std::mem::replace(&mut tool_request.input, input);
    // If the input was replaced before, the metadata already contains the model's input.
    metadata.entry(REPLACED_INPUT).or_insert(before);
}

/// Adds a note to a response if the caller replaced the arguments of the call. Providers send it as text in addition to
/// the output.
pub fn note_replaced_input(request: &Part, answer: &mut Part) {
    /// The maximum size of the model's input in the note, in bytes of JSON.
    const SHOWN: usize = 1000;
    const PURPOSE: (&str, &str) = ("purpose", REPLACED_INPUT);
    let Some(asked) = request.metadata().get(REPLACED_INPUT) else { return };
    let Part::ToolResponse { tool_response, .. } = answer else { return };
    let says_it = |part: &Part| part.metadata().get(PURPOSE.0).is_some_and(|it| it == PURPOSE.1);
    if tool_response.content.iter().any(says_it) {
        return;
    }
    let asked = asked.to_string();
    let cut = if asked.len() > SHOWN { " (cut)" } else { "" };
    let text = format!(
        "Note: the user changed the arguments of this call before it ran. You had asked for: \
         {}{cut}",
        truncate(&asked, SHOWN)
    );
    tool_response.content.push(Part::text(text).with_metadata(PURPOSE.0, PURPOSE.1));
}

/// Converts the request into the form that is kept in the history of a resumed run.
pub fn resolve_request(request: &mut Part) {
    let metadata = request.metadata_mut();
    if let Some(interrupt) = metadata.remove(INTERRUPT) {
        metadata.insert(RESOLVED.to_owned(), interrupt);
    }
    for key in [PENDING_OUTPUT, PENDING_CONTENT, PENDING_METADATA, SUSPENDED] {
        metadata.remove(key);
    }
}
