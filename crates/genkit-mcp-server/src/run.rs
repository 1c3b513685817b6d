//! Runs a function for a client, with its limits, context, questions and audit event.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use rmcp::model::{ErrorData, InputResponses};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::audit::Audit;
use super::caller::{McpCaller, Request};
use super::error::{Error as E, missing_capability};
use super::rounds::{InputRequired, Round};
use super::session::{Era, StateBinding};
use super::state::SharedState;
use genkit_core::Context;
use genkit_core::internal::context::{
    Caller, ContextParts, Journal, Outcome, Recording, Rounds, TypeMap, drive,
};
use genkit_core::internal::trace::{NewSpan, traced_as};
use genkit_core::{Error, Result};

/// The function to run, as requested.
pub(super) struct Invocation {
    pub(super) method: &'static str,
    pub(super) name: String,
    pub(super) arguments: Value,
    /// The time limit of the function; `None` uses the server's limit.
    pub(super) timeout: Option<Duration>,
    /// The upstream server that owns the function, if any.
    pub(super) upstream: Option<String>,
    /// The state from an earlier round of this request, returned by the client.
    pub(super) state: Option<String>,
    pub(super) responses: Option<InputResponses>,
}

/// An admitted request, from which the context of its function is built.
pub(super) struct Admitted {
    pub(super) shared: Arc<SharedState>,
    pub(super) caller: Arc<dyn Caller>,
    /// Whether the client is trusted to ask its user for approval itself.
    pub(super) trusts_client: bool,
    pub(super) name: String,
    pub(super) cancel: CancellationToken,
    /// Present if the client receives questions as a result.
    pub(super) rounds: Option<Arc<dyn Rounds>>,
    pub(super) timeout: Duration,
    pub(super) meta: Arc<Map<String, Value>>,
    /// Values added by the server, in addition to the extensions of HTTP layers.
    pub(super) values: TypeMap,
    /// Where a task saves the results of `once`.
    pub(super) journal: Option<Arc<dyn Journal>>,
    #[cfg(feature = "http")]
    pub(super) extensions: Arc<http::Extensions>,
}

impl Admitted {
    /// Creates a context that resumes from `recording`. `approval` is the message that the user must approve first.
    pub(super) fn context(&self, recording: Recording, approval: Option<String>) -> Context {
        let caller = Arc::clone(&self.caller);
        ContextParts {
            states: self.shared.genkit.states.clone(),
            values: self.values.clone(),
            journal: self.journal.clone(),
            meta: Arc::clone(&self.meta),
            cancel: self.cancel.clone(),
            limit: Some(self.timeout),
            recording: Some(recording),
            rounds: self.rounds.clone(),
            approval,
            #[cfg(feature = "http")]
            extensions: Arc::clone(&self.extensions),
            defaults: self.shared.settings.values.clone(),
            caller,
            ..ContextParts::default()
        }
        .build()
    }
}

/// Runs `work` in `span`; `name` is the name that the client used.
pub(super) async fn drive_in_span<T>(
    context: &Context,
    name: &str,
    span: NewSpan<'_>,
    work: impl Future<Output = Result<T>>,
    output: impl FnOnce(&T) -> Value,
) -> Outcome<T> {
    let work = drive(context, name, work);
    traced_as(span, work, |outcome| outcome.ended(output)).await
}

/// The outcome of a run, as sent to the client.
pub(super) enum RunOutcome<T> {
    Finished(Result<T>),
    InputRequired(InputRequired),
}

/// Runs `work` for the client of `request`, with the arguments and the recording of earlier rounds.
///
/// Admission happens here and not in the returned future, because a future that waits for an answer holds its
/// contents for minutes.
pub(super) fn run<T, F>(
    shared: &Arc<SharedState>,
    request: Request,
    invocation: Invocation,
    work: impl FnOnce(Admitted, Value, Recording) -> F,
) -> Answered<impl Future<Output = Answered<RunOutcome<T>>>>
where
    F: Future<Output = Outcome<T>>,
{
    let Admission { admitted, arguments, recording, open } = admit(shared, request, invocation)?;
    Ok(work(admitted, arguments, recording).map(move |outcome| open.ended(outcome)))
}

/// An admitted request, and the steps left to complete it.
pub(super) struct Admission<'a> {
    pub(super) admitted: Admitted,
    pub(super) arguments: Value,
    pub(super) recording: Recording,
    pub(super) open: OpenRun<'a>,
}

/// Admits a request, or returns the error to send.
pub(super) fn admit(
    shared: &Arc<SharedState>,
    request: Request,
    invocation: Invocation,
) -> Answered<Admission<'_>> {
    let settings = &shared.settings;
    let Request { era, .. } = request;
    let principal = request.head.principal_id();
    let Invocation { method, name, arguments, timeout, upstream, state, responses } = invocation;
    let shown = settings.audit_contents.then_some(&arguments);
    let audit = Audit::begin(method, &name, request.asking(), shown);
    let quota = request.session.quota();
    let place = match request.quota.count_request().and_then(|()| quota.place(upstream.as_deref()))
    {
        Ok(place) => place,
        Err(error) => {
            audit.refuse(&error);
            return Err(error.into());
        }
    };
    let caller = Arc::new(McpCaller::new(&request, &shared.genkit.registry, settings));
    // A client with a session is asked while the function runs, and a client without capabilities cannot be asked.
    // For both, no state is sealed and no answers are accepted.
    let asks = era == Era::Modern && (caller.can_be_asked() || state.is_some());
    let (round, recording) = if asks {
        let binding = StateBinding::new(method, &name, &arguments, &principal);
        match Round::begin(shared, binding, state.as_deref(), responses) {
            Ok((round, recording)) => (Some(Arc::new(round)), recording),
            Err(error) => {
                audit.refuse(&error);
                return Err(error.into());
            }
        }
    } else {
        (None, Recording::default())
    };
    caller.begin(place);
    let admitted = Admitted {
        shared: Arc::clone(shared),
        trusts_client: caller.trusted_to_approve(),
        caller: Arc::clone(&caller) as Arc<dyn Caller>,
        name: name.clone(),
        cancel: request.cancel,
        rounds: round.clone().map(|round| round as Arc<dyn Rounds>),
        values: TypeMap::default(),
        journal: None,
        timeout: timeout.unwrap_or(settings.timeout),
        meta: Arc::new(request.meta.0.0),
        #[cfg(feature = "http")]
        extensions: request.head.extensions,
    };
    let open = OpenRun { shared, method, name, era, audit, caller, round };
    Ok(Admission { admitted, arguments, recording, open })
}

/// A value, or the protocol error to send instead.
pub(super) type Answered<T> = std::result::Result<T, ErrorData>;

/// A running request, and the steps left for when its function ends.
pub(super) struct OpenRun<'a> {
    shared: &'a Arc<SharedState>,
    method: &'static str,
    name: String,
    era: Era,
    audit: Audit,
    pub(super) caller: Arc<McpCaller>,
    round: Option<Arc<Round>>,
}

impl OpenRun<'_> {
    /// Ends the request and lets its function continue as a task. Returns the caller, which holds the function's
    /// in-flight slot.
    ///
    /// # Errors
    /// If another request claimed the same state.
    #[cfg(feature = "durable")]
    pub(super) fn becomes_task(self) -> Answered<Arc<McpCaller>> {
        if self.round.as_ref().is_some_and(|round| !round.claim()) {
            self.caller.end();
            self.audit.refuse(&E::InvalidState);
            return Err(E::InvalidState.into());
        }
        self.audit.end("task", None);
        Ok(self.caller)
    }

    pub(super) fn ended<T>(self, outcome: Outcome<T>) -> Answered<RunOutcome<T>> {
        let (value, ended) = match outcome {
            Outcome::Finished(Ok(value)) => (Some(value), Outcome::Finished(Ok(()))),
            Outcome::Finished(Err(error)) => (None, Outcome::Finished(Err(error))),
            Outcome::Suspended(questions, recording) => {
                (None, Outcome::Suspended(questions, recording))
            }
            Outcome::Cancelled => (None, Outcome::Cancelled),
        };
        Ok(match self.settled(ended)? {
            RunOutcome::Finished(Ok(())) => {
                RunOutcome::Finished(Ok(value.expect("what finished well has a value")))
            }
            RunOutcome::Finished(Err(error)) => RunOutcome::Finished(Err(error)),
            RunOutcome::InputRequired(required) => RunOutcome::InputRequired(required),
        })
    }

    /// The part of [`ended`](Self::ended) that does not depend on the type of the value.
    fn settled(self, outcome: Outcome<()>) -> Answered<RunOutcome<()>> {
        let Self { shared, method, name, era, audit, caller, round } = self;
        let settings = &shared.settings;
        caller.end();
        // A function that used a state claims it, even if it read no answer from it.
        let is_ours =
            |round: &Arc<Round>| !matches!(outcome, Outcome::Finished(_)) || round.claim();
        if round.as_ref().is_some_and(|round| !is_ours(round) || round.is_taken()) {
            audit.refuse(&E::InvalidState);
            return Err(E::InvalidState.into());
        }
        match outcome {
            Outcome::Finished(result) => {
                let error = result.as_ref().err();
                let full = error.filter(|_| settings.audit_contents).map(Error::chain);
                audit.end(if error.is_none() { "ok" } else { "error" }, full.as_deref());
                let result = result.map_err(|error| shared.for_client(error, &name));
                // In older protocols, tool calls report this as an error result, which the model reads.
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
                audit.end(if required.is_ok() { "asks" } else { "error" }, None);
                Ok(match required {
                    Ok(required) => RunOutcome::InputRequired(required),
                    Err(error) => RunOutcome::Finished(Err(shared.for_client(error, &name))),
                })
            }
            // Dropping the audit record logs the cancellation; the client is not waiting for a response.
            Outcome::Cancelled => Err(E::RequestCancelled.into()),
        }
    }
}
