//! Runs a function for a client, with its limits, context, questions and audit event.

use std::future::Future;
use std::sync::Arc;

use rmcp::model::ErrorData;
use serde_json::Value;

use crate::audit::Audit;
use crate::caller::{McpCaller, Request};
use crate::error::{Error as E, missing_capability};
use crate::permission::Item;
use crate::rounds::{InputRequired, Round};
use crate::session::{Era, StateBinding};
use crate::state::SharedState;
use genkit_core::internal::context::{ContextParts, Outcome, Recording, Rounds, drive_function};
use genkit_core::internal::fair_share::hash_client;
use genkit_core::internal::trace::{NewSpan, trace_with_outcome};
use genkit_core::{Context, Error, Result};

/// Runs `work` in `span`. `name` is the item name in the client's request.
pub(crate) async fn drive_in_span<T>(
    context: &Context,
    name: &str,
    span: NewSpan<'_>,
    work: impl Future<Output = Result<T>>,
    output: impl FnOnce(&T) -> Value,
) -> Outcome<T> {
    let work = drive_function(context, name, work);
    trace_with_outcome(span, work, |outcome| outcome.to_span_outcome(output)).await
}

/// The outcome of a run, as sent to the client.
pub(crate) enum RunOutcome<T> {
    Finished(Result<T>),
    InputRequired(InputRequired),
}

/// A value, or the protocol error to send instead.
pub(crate) type Answered<T> = std::result::Result<T, ErrorData>;

/// A function that runs for a client, from its admission to its outcome.
pub(crate) struct Run {
    shared: Arc<SharedState>,
    method: &'static str,
    name: String,
    era: Era,
    audit: Audit,
    pub(crate) caller: Arc<McpCaller>,
    round: Option<Arc<Round>>,
}

impl Run {
    /// Admits the run of `item`, or returns the error to send. Also returns the context of the function, with the
    /// recording of earlier rounds.
    ///
    /// Admission is not part of the function's future, because a future that waits for an answer holds its contents
    /// for minutes.
    pub(crate) fn admit_request(
        shared: &Arc<SharedState>,
        mut request: Request,
        method: &'static str,
        name: &str,
        arguments: &Value,
        item: Item<'_>,
    ) -> Answered<(Self, ContextParts)> {
        let settings = &shared.settings;
        let (era, name) = (request.era, name.to_owned());
        let shown = settings.audit_contents.then_some(arguments);
        let audit = Audit::start_record(method, &name, request.request_source(), shown);
        let admitted = request.quota.count_request();
        let place = match admitted.and_then(|()| request.session.quota().take_slot(item.upstream()))
        {
            Ok(place) => place,
            Err(error) => {
                audit.record_refusal(&error);
                return Err(error.into());
            }
        };
        let (meta, state) = (std::mem::take(&mut request.meta), request.state.take());
        let (responses, cancel) = (request.responses.take(), request.cancel.clone());
        let extensions = std::mem::take(&mut request.head.extensions);
        let caller = McpCaller::new(request, &meta, &shared.genkit.registry, settings);
        let caller = Arc::new(caller);
        // Questions to a client with a session are sent while the function runs, and a client without capabilities
        // cannot be asked. For both, no state is sealed and no answers are accepted.
        let asks = era == Era::Modern && (caller.can_be_asked() || state.is_some());
        let (round, recording) = if asks {
            let principal = caller.request.head.principal_id();
            let binding = StateBinding::new(method, &name, arguments, &principal);
            match Round::begin_round(shared, binding, state.as_deref(), responses) {
                Ok((round, recording)) => (Some(Arc::new(round)), recording),
                Err(error) => {
                    audit.record_refusal(&error);
                    return Err(error.into());
                }
            }
        } else {
            (None, Recording::default())
        };
        caller.hold_slot(place);
        let context = ContextParts {
            states: shared.genkit.states.clone(),
            meta: Arc::new(meta.0.0),
            cancel,
            limit: Some(item.timeout().unwrap_or(settings.timeout)),
            recording: Some(recording),
            rounds: round.clone().map(|round| round as Arc<dyn Rounds>),
            extensions,
            defaults: settings.values.clone(),
            client: Some(hash_client(caller.request.quota.key())),
            caller: Arc::clone(&caller) as _,
            ..ContextParts::default()
        };
        Ok((Self { shared: Arc::clone(shared), method, name, era, audit, caller, round }, context))
    }

    /// Ends the request and lets its function continue as a task. Returns the caller, which holds the function's
    /// in-flight slot.
    ///
    /// # Errors
    /// Returns an error if another request claimed the same state.
    #[cfg(feature = "durable")]
    pub(crate) fn become_task(self) -> Answered<Arc<McpCaller>> {
        if self.round.as_ref().is_some_and(|round| !round.claim_answers()) {
            self.caller.release_slot();
            self.audit.record_refusal(&E::InvalidState);
            return Err(E::InvalidState.into());
        }
        self.audit.record_outcome("task", None);
        Ok(self.caller)
    }

    pub(crate) fn into_outcome<T>(self, outcome: Outcome<T>) -> Answered<RunOutcome<T>> {
        let (value, ended) = match outcome {
            Outcome::Finished(Ok(value)) => (Some(value), Outcome::Finished(Ok(()))),
            Outcome::Finished(Err(error)) => (None, Outcome::Finished(Err(error))),
            Outcome::Suspended(questions, recording) => {
                (None, Outcome::Suspended(questions, recording))
            }
            Outcome::Cancelled => (None, Outcome::Cancelled),
        };
        Ok(match self.settle_outcome(ended)? {
            RunOutcome::Finished(Ok(())) => {
                RunOutcome::Finished(Ok(value.expect("a successful outcome has a value")))
            }
            RunOutcome::Finished(Err(error)) => RunOutcome::Finished(Err(error)),
            RunOutcome::InputRequired(required) => RunOutcome::InputRequired(required),
        })
    }

    /// Performs the part of [`into_outcome`](Self::into_outcome) that does not depend on the type of the value.
    fn settle_outcome(self, outcome: Outcome<()>) -> Answered<RunOutcome<()>> {
        let Self { shared, method, name, era, audit, caller, round } = self;
        let settings = &shared.settings;
        caller.release_slot();
        // A function that used a state claims it, even if it did not read an answer.
        let is_ours =
            |round: &Arc<Round>| !matches!(outcome, Outcome::Finished(_)) || round.claim_answers();
        if round.as_ref().is_some_and(|round| !is_ours(round) || round.is_taken()) {
            audit.record_refusal(&E::InvalidState);
            return Err(E::InvalidState.into());
        }
        match outcome {
            Outcome::Finished(result) => {
                let error = result.as_ref().err();
                let full = error.filter(|_| settings.audit_contents).map(Error::chain);
                audit.record_outcome(if error.is_none() { "ok" } else { "error" }, full.as_deref());
                let result = result.map_err(|error| shared.for_client(error, &name));
                // In older protocols, tool calls report a missing capability as an error result, which the model reads.
                let protocol = era == Era::Modern || method != "tools/call";
                match result.as_ref().err().filter(|_| protocol).and_then(missing_capability) {
                    Some(missing) => Err(missing),
                    None => Ok(RunOutcome::Finished(result)),
                }
            }
            Outcome::Suspended(questions, recording) => {
                let required = round.as_ref().ok_or_else(|| E::NotSealed.into());
                let required =
                    required.and_then(|round| round.input_required(questions, recording));
                audit.record_outcome(if required.is_ok() { "asks" } else { "error" }, None);
                Ok(match required {
                    Ok(required) => RunOutcome::InputRequired(required),
                    Err(error) => RunOutcome::Finished(Err(shared.for_client(error, &name))),
                })
            }
            // Dropping the audit record logs the cancellation. The client does not wait for a response.
            Outcome::Cancelled => Err(E::RequestCancelled.into()),
        }
    }
}
