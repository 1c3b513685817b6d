//! Runs one function for a client: under the limits, with its context, questions and audit event.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ErrorData, InputRequests, InputRequiredResult, InputResponses};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::audit::Audit;
use super::caller::{McpCaller, input_request};
use super::error::{Error as E, missing_capability, protocol_error};
use super::request::Request;
use super::session::{Era, StateBinding};
use super::state::SharedState;
use crate::context::{CallerAnswer, Context, ContextParts, Outcome, Question, Recording, drive};
use crate::error::{Error, Result};
use crate::generate::interrupt::Suspended;
use crate::trace::{NewSpan, traced_as};

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
    pub(super) caller: Arc<McpCaller>,
    pub(super) name: String,
    pub(super) cancel: CancellationToken,
    timeout: Duration,
    meta: Map<String, Value>,
    #[cfg(feature = "mcp-http")]
    extensions: http::Extensions,
}

impl Admitted {
    /// A context that goes on from `recording`, once the user approved what `approval` says.
    pub(super) fn context(&self, recording: Recording, approval: Option<String>) -> Context {
        let caller = Arc::clone(&self.caller);
        ContextParts {
            states: self.shared.genkit.states.clone(),
            meta: self.meta.clone(),
            cancel: self.cancel.clone(),
            limit: Some(self.timeout),
            recording,
            approval,
            #[cfg(feature = "mcp-http")]
            extensions: self.extensions.clone(),
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
    traced_as(span, work, |outcome| Suspended::ended_with(outcome, output)).await
}

/// How a run ended, for the client.
pub(super) enum RunOutcome<T> {
    Finished(Result<T>),
    InputRequired(InputRequiredResult),
}

/// Runs `work` for the client of `request`: with the arguments, and the record of earlier rounds.
pub(super) async fn run<T, F>(
    shared: &Arc<SharedState>,
    request: Request,
    invocation: Invocation,
    work: impl FnOnce(Admitted, Value, Recording) -> F,
) -> std::result::Result<RunOutcome<T>, ErrorData>
where
    F: Future<Output = Outcome<T>>,
{
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
    let (registry, fallback) = (&shared.genkit.registry, settings.approval_fallback);
    let caller = Arc::new(McpCaller::new(&request, registry, fallback));
    // A client with a session is asked while the function runs, and one that can do nothing is
    // not asked at all: nothing is sealed for them.
    let sealed = (era == Era::Modern && caller.can_be_asked()) || state.is_some();
    let binding = sealed.then(|| StateBinding::new(method, &name, &arguments, &principal));
    let recording = match recording(shared, state.as_deref(), responses, binding.as_ref()) {
        Ok(recording) => recording,
        Err(error) => {
            audit.end("error", None);
            return Err(protocol_error(&error));
        }
    };
    caller.begin(place);
    let admitted = Admitted {
        shared: Arc::clone(shared),
        caller: Arc::clone(&caller),
        name: name.clone(),
        cancel: request.cancel,
        timeout: timeout.unwrap_or(settings.timeout),
        meta: request.meta.0.0,
        #[cfg(feature = "mcp-http")]
        extensions: request.head.extensions,
    };
    let outcome = work(admitted, arguments, recording).await;
    caller.end();
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
            let required = input_required(shared, questions, &recording, binding.as_ref());
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
/// The questions of a run as a result, with the state that the next run goes on from.
fn input_required(
    shared: &SharedState,
    questions: Vec<Question>,
    recording: &Recording,
    binding: Option<&StateBinding>,
) -> Result<InputRequiredResult> {
    let binding = binding.ok_or(E::NotSealed)?;
    let mut requests = InputRequests::new();
    for Question { key, kind } in questions {
        requests.insert(key, input_request(&kind)?);
    }
    let state = shared.sealer.seal(recording, binding)?;
    Ok(InputRequiredResult::new(Some(requests), Some(state)))
}

/// What earlier rounds answered and did, and the answers of this one.
fn recording(
    shared: &SharedState,
    state: Option<&str>,
    responses: Option<InputResponses>,
    binding: Option<&StateBinding>,
) -> Result<Recording> {
    let mut recording = match (state, binding) {
        (Some(state), Some(binding)) => shared.sealer.open(state, binding)?,
        _ => Recording::default(),
    };
    for (key, answer) in responses.unwrap_or_default() {
        // What was answered stays answered: the function went on from it.
        recording.answers.entry(key).or_insert_with(|| CallerAnswer::from_json(answer));
    }
    Ok(recording)
}
