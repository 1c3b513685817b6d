//! Runs one function for a client: under the limits, with its context, questions and audit event.

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

/// What is run, by the request.
pub(super) struct Invocation {
    pub(super) method: &'static str,
    pub(super) name: String,
    pub(super) arguments: Value,
    /// The time limit of the action itself; `None` is the server's.
    pub(super) timeout: Option<Duration>,
    /// The server behind this one that has it.
    pub(super) upstream: Option<String>,
    /// What an earlier round of this request left with the client.
    pub(super) state: Option<String>,
    pub(super) responses: Option<InputResponses>,
}

/// A request that was let in: what the context of its function is made from.
pub(super) struct Admitted {
    pub(super) shared: Arc<SharedState>,
    pub(super) caller: Arc<dyn Caller>,
    /// Whether the client is trusted to have asked its user, where that is to be asked.
    pub(super) trusts_client: bool,
    pub(super) name: String,
    pub(super) cancel: CancellationToken,
    /// For a client that is asked by a result.
    pub(super) rounds: Option<Arc<dyn Rounds>>,
    pub(super) timeout: Duration,
    pub(super) meta: Arc<Map<String, Value>>,
    /// What the request brought beside what HTTP layers left on it.
    pub(super) values: TypeMap,
    /// Where a task saves what it did by `once`.
    pub(super) journal: Option<Arc<dyn Journal>>,
    #[cfg(feature = "http")]
    pub(super) extensions: Arc<http::Extensions>,
}

impl Admitted {
    /// A context that goes on from `recording`, once the user approved what `approval` says.
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

/// Runs `work` of what the client called `name`, in `span`.
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

/// How a run ended, for the client.
pub(super) enum RunOutcome<T> {
    Finished(Result<T>),
    InputRequired(InputRequired),
}

/// Runs `work` for the client of `request`: with the arguments, and the record of earlier rounds.
///
/// What is settled at once is settled here, not in the future: a question keeps that for minutes.
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

/// A request that was let in, and what is left to do of it.
pub(super) struct Admission<'a> {
    pub(super) admitted: Admitted,
    pub(super) arguments: Value,
    pub(super) recording: Recording,
    pub(super) open: OpenRun<'a>,
}

/// Lets a request in, or answers it with an error.
pub(super) fn admit(
    shared: &Arc<SharedState>,
    request: Request,
    invocation: Invocation,
) -> Answered<Admission<'_>> {
    let settings = &shared.settings;
    let Request { era, .. } = request;
    let principal = request.head.principal();
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
    // A client with a session is asked while the function runs, and one that can do nothing is
    // not asked at all: nothing is sealed for them, and what they answer was never asked.
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

/// What comes of a request, or the error that is answered instead.
pub(super) type Answered<T> = std::result::Result<T, ErrorData>;

/// A request whose function runs: what is left to do when that has ended.
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
    /// The function goes on as a task, and the request ends: its caller, which has the place of the function.
    ///
    /// # Errors
    /// Another request went on from the same state.
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

    /// The same, whatever the function returns.
    fn settled(self, outcome: Outcome<()>) -> Answered<RunOutcome<()>> {
        let Self { shared, method, name, era, audit, caller, round } = self;
        let settings = &shared.settings;
        caller.end();
        // What a function did of a state counts, though it took no answer of it.
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
                // A tool of the older protocols has a result for it that the model reads.
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
            // Dropping the audit event records it; the client does not wait for an answer.
            Outcome::Cancelled => Err(E::RequestCancelled.into()),
        }
    }
}
