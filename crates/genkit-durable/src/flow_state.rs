//! The state of a durable flow: the input, the results of `once`, and the open questions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::error::Error as E;
use genkit_agent::Instance;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::RunStatus;
use genkit_core::internal::context::{
    Caller, Capability, ContextParts, Journal, Outcome, Recording, drive_function,
};
use genkit_core::internal::generate::interrupt::{CallState, Suspended, resume};
use genkit_core::{Answer, Interrupt, Resume};
use genkit_core::{Message, Part, ToolRequest};

/// The version of the stored state.
const VERSION: u32 = 1;

/// The id of the call that represents a flow in its questions.
const FLOW: &str = "flow";

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlowState {
    version: u32,
    flow: String,
    input: Value,
    /// The recording of earlier runs, with the answers to questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    suspended: Option<Box<Suspended>>,
    /// The results of `once`. They are stored in the log, to which a step only appends.
    #[serde(skip)]
    once: BTreeMap<String, Value>,
    /// The results of `once` that are not saved yet.
    #[serde(skip)]
    new: Vec<Done>,
    /// The questions of the flow, in the form of an interrupted call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asks: Option<Message>,
    #[serde(default)]
    answers: Resume,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
}

/// A line of the log: a result of `once` with its key.
#[derive(Clone, Serialize, Deserialize)]
pub struct Done {
    pub once: (String, Value),
}

impl FlowState {
    pub(super) fn new(flow: &str, input: Value) -> Self {
        Self {
            version: VERSION,
            flow: flow.to_owned(),
            input,
            suspended: None,
            once: BTreeMap::new(),
            new: Vec::new(),
            asks: None,
            answers: Resume::default(),
            output: None,
        }
    }

    /// Checks that this program supports the version of the state.
    pub(super) fn check_version(&self) -> Result<(), String> {
        match self.version {
            VERSION => Ok(()),
            other => {
                Err(format!("it has schema version {other}, but this program supports {VERSION}"))
            }
        }
    }

    /// Returns the name of the flow.
    pub(super) fn name(&self) -> &str {
        &self.flow
    }

    /// Returns the keys of the saved results of `once`.
    pub(super) fn saved_keys(&self) -> impl Iterator<Item = &str> {
        self.once.keys().map(|key| &**key)
    }

    /// Returns whether the flow waits for answers.
    pub(super) fn is_interrupted(&self) -> bool {
        self.asks.is_some()
    }

    /// Returns the status of the flow.
    pub(super) fn run_status(&self) -> RunStatus {
        match (&self.asks, &self.output) {
            (Some(_), _) => RunStatus::InputRequired,
            (None, Some(_)) => RunStatus::Completed,
            (None, None) => RunStatus::Working,
        }
    }

    /// Returns the result of the flow.
    pub(super) fn into_output(self) -> Option<Value> {
        self.output
    }

    /// Records a result of `once`.
    pub(super) fn note_once(&mut self, key: String, done: Value) {
        self.once.insert(key.clone(), done.clone());
        self.new.push(Done { once: (key, done) });
    }

    /// Reads the results of `once` from the log.
    pub(super) fn read_log(&mut self, lines: impl IntoIterator<Item = Done>) {
        self.once.extend(lines.into_iter().map(|line| line.once));
    }

    /// Takes the log lines that are not saved yet.
    pub(super) fn take_log(&mut self) -> Vec<Done> {
        std::mem::take(&mut self.new)
    }

    /// Takes the state to save, without copying results that are already in the log.
    pub(super) fn take_unsaved(&mut self) -> Self {
        let (once, new) = (std::mem::take(&mut self.once), self.take_log());
        let saved = Self { new, ..self.clone() };
        self.once = once;
        saved
    }

    /// Runs the function from the start with the recorded results.
    ///
    /// # Errors
    /// Returns an error if this process does not have the flow.
    pub(super) fn run_flow(
        &self,
        genkit: &Instance,
        journal: Arc<dyn Journal>,
        cancel: CancellationToken,
    ) -> Result<BoxFuture<'static, Outcome<Value>>> {
        let flow =
            genkit.registry.flow(&self.flow).ok_or_else(|| E::UnknownFlow(self.flow.clone()))?;
        let mut recording = match &self.suspended {
            Some(suspended) => suspended.recording.clone(),
            None => Recording::default(),
        };
        recording.once.extend(self.once.clone());
        let context = ContextParts {
            states: genkit.states.clone(),
            recording: Some(recording),
            journal: Some(journal),
            ..ContextParts::from_request(Arc::new(FlowCaller), Arc::default(), cancel.clone())
        }
        .build();
        let input = self.input.clone();
        Ok(Box::pin(async move {
            // When the flow ends, cancels the background work that it started.
            let _stop = cancel.drop_guard();
            let running = flow.run_json(Ok(input)).context(&context).into_future();
            drive_function(&context, flow.name(), running).await
        }))
    }

    /// Stores the outcome of the function.
    ///
    /// # Errors
    /// Returns the error of the flow if it failed.
    pub(super) fn store_outcome(&mut self, ended: Outcome<Value>) -> Result<RunStatus> {
        match ended {
            Outcome::Finished(returned) => {
                self.output = Some(returned?);
                Ok(RunStatus::Completed)
            }
            Outcome::Suspended(questions, mut recording) => {
                recording.once.retain(|key, _| !self.once.contains_key(key));
                let request = ToolRequest::new(&self.flow, self.input.clone()).with_id(FLOW);
                let mut part = Part::tool_request(request);
                Suspended::new(questions, recording).write(&mut part);
                self.asks = Some(Message::model(part));
                Ok(RunStatus::InputRequired)
            }
            Outcome::Cancelled => Err(E::Cancelled(self.flow.clone()).into()),
        }
    }

    /// Returns the questions that have no answer yet.
    pub(super) fn open_questions(&self) -> Vec<Interrupt> {
        self.asks.as_ref().map(|message| self.answers.open_questions(message)).unwrap_or_default()
    }

    /// Accepts one answer, and returns the new status.
    ///
    /// # Errors
    /// Returns an error if the answer does not belong to an open question.
    pub(super) fn answer_question(&mut self, answer: Answer) -> Result<RunStatus> {
        let Some(message) = &self.asks else { return Ok(RunStatus::Working) };
        let answers = self.answers.with_answer(answer, message)?;
        if !answers.open_questions(message).is_empty() {
            self.answers = answers;
            return Ok(RunStatus::InputRequired);
        }
        let mut resumed = resume(&mut vec![message.clone()], &answers)?;
        let status = match resumed.calls.pop() {
            Some((_, CallState::Answered(part))) => {
                // The answer is the result of the flow, in place of running it.
                let output = part.as_tool_response().map(|answer| answer.output.clone());
                self.output = Some(output.unwrap_or_default());
                RunStatus::Completed
            }
            Some((_, CallState::Pending { suspended, .. })) => {
                self.suspended = suspended;
                RunStatus::Working
            }
            None => RunStatus::Working,
        };
        (self.asks, self.answers) = (None, Resume::default());
        Ok(status)
    }
}

/// The caller of a durable flow: a user who answers later.
struct FlowCaller;

impl Caller for FlowCaller {
    fn has_capability(&self, capability: Capability) -> bool {
        matches!(capability, Capability::Elicitation | Capability::ElicitUrl)
    }

    fn accepts_interrupts(&self) -> bool {
        true
    }
}
