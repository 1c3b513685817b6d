//! One run of a function for a client: its context, its questions, its end.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, InputRequests, InputRequiredResult, InputResponses};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::audit::Audit;
use super::caller::{McpCaller, input_request};
use super::handler::McpHandler;
use super::session::Binding;
use super::session::Era;
use crate::context::{
    CallerAnswer, Context, ContextParts, Outcome, Question, Recording, TypeMap, drive,
};
use crate::error::{Error, ErrorKind, Result};

/// Who calls, as an HTTP layer in front found out: put it into the request's extensions.
///
/// It stands in the audit events, has a rate of its own, and what a question carries is bound
/// to it.
///
/// ```
/// # #[cfg(feature = "mcp-http")]
/// # {
/// use axum::Extension;
/// use genkit::mcp::Principal;
///
/// let ada = Principal("ada@example.com".into()); // whom your layer found in the token
/// let app = axum::Router::<()>::new().layer(Extension(ada));
/// # let _ = app;
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(pub String);

/// What is run, as the request says it.
pub(crate) struct Job {
    pub(crate) method: &'static str,
    pub(crate) name: String,
    pub(crate) arguments: Value,
    pub(crate) timeout: Duration,
    /// What the user must approve first.
    pub(crate) approval: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) responses: Option<InputResponses>,
}

/// How a run ended, for the client.
pub(crate) enum Ran<T> {
    Done(Result<T>),
    Asks(InputRequiredResult),
}

/// A future that borrows a context.
pub(crate) type Working<'a, T> = crate::action::Calling<'a, T>;

impl McpHandler {
    /// Runs `work` as `job` says.
    pub(crate) async fn run<T>(
        &self,
        mut request: RequestContext<RoleServer>,
        job: Job,
        work: impl for<'a> FnOnce(&'a Context, Value) -> Working<'a, T>,
    ) -> std::result::Result<Ran<T>, ErrorData> {
        let shared = &self.shared;
        let settings = &shared.settings;
        let era = Era::of(&request);
        let head = Head::take(&mut request);
        let principal = head.principal();
        let caller = McpCaller::new(
            &request,
            era,
            &self.session,
            &shared.genkit.registry,
            settings.approval_fallback,
        );
        let audit = Audit::begin(
            job.method,
            &job.name,
            caller.client_info(),
            &principal,
            settings.audit_contents.then_some(&job.arguments),
        );
        // Without a rate nobody is counted, and the key would be made for nothing.
        let counted = settings.per_second.map(|_| head.client_key(&principal));
        let _place = match shared.gate.enter(&counted.unwrap_or_default()) {
            Ok(place) => place,
            Err(error) => {
                audit.end("refused", None);
                return Err(refused(&error));
            }
        };
        // A client with a session is asked while the function runs, and one that can do nothing is
        // not asked at all: nothing is sealed for them.
        let sealed = (era == Era::Modern && caller.can_be_asked()) || job.state.is_some();
        let binding =
            sealed.then(|| Binding::new(job.method, &job.name, &job.arguments, &principal));
        let recording = match self.recording(job.state.as_deref(), job.responses, binding.as_ref())
        {
            Ok(recording) => recording,
            Err(error) => {
                audit.end("error", None);
                return Err(super::content::protocol_error(&error));
            }
        };
        let approval = job.approval.filter(|_| !caller.trusted_to_approve());
        let context = ContextParts {
            caller: Arc::new(caller),
            states: shared.genkit.states.clone(),
            values: TypeMap::default(),
            meta: request.meta.0.0.clone(),
            cancel: request.ct.clone(),
            limit: Some(job.timeout),
            recording,
            approval,
            #[cfg(feature = "mcp-http")]
            extensions: head.extensions,
            ..ContextParts::default()
        }
        .build();
        match drive(&context, &job.name, work(&context, job.arguments)).await {
            Outcome::Finished(result) => {
                let said = result.as_ref().err().filter(|_| settings.audit_contents);
                let said = said.map(Error::chain);
                audit.end(if result.is_ok() { "ok" } else { "error" }, said.as_deref());
                match result {
                    Err(error) if era == Era::Modern && wants_capability(&error) => {
                        Err(missing_capability(&error))
                    }
                    result => Ok(Ran::Done(result)),
                }
            }
            Outcome::Suspended(questions, recording) => {
                let asks = self.asks(questions, &recording, binding.as_ref());
                audit.end(if asks.is_ok() { "asks" } else { "error" }, None);
                Ok(asks.map_or_else(|error| Ran::Done(Err(error)), Ran::Asks))
            }
            // The audit's own end says so; the client does not wait for an answer.
            Outcome::Cancelled => {
                Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "the request was cancelled", None))
            }
        }
    }

    /// The questions of a run, with what the next run goes on from.
    fn asks(
        &self,
        questions: Vec<Question>,
        recording: &Recording,
        binding: Option<&Binding>,
    ) -> Result<InputRequiredResult> {
        let binding = binding.ok_or_else(|| {
            Error::new(ErrorKind::Internal, "this client is asked while the function runs")
        })?;
        let mut requests = InputRequests::new();
        for Question { key, kind } in questions {
            requests.insert(key, input_request(&kind)?);
        }
        let state = self.shared.seal.close(recording, binding)?;
        Ok(InputRequiredResult::new(Some(requests), Some(state)))
    }

    /// What earlier rounds answered and did, and the answers of this one.
    fn recording(
        &self,
        state: Option<&str>,
        responses: Option<InputResponses>,
        binding: Option<&Binding>,
    ) -> Result<Recording> {
        let mut recording = match (state, binding) {
            (Some(state), Some(binding)) => self.shared.seal.open(state, binding)?,
            _ => Recording::default(),
        };
        for (key, answer) in responses.unwrap_or_default() {
            // What was answered stays answered: the function went on from it.
            recording.answers.entry(key).or_insert_with(|| CallerAnswer::from_json(answer));
        }
        Ok(recording)
    }
}

/// What an HTTP request says beside its body; nothing over stdio.
struct Head {
    #[cfg(feature = "mcp-http")]
    extensions: http::Extensions,
    #[cfg(feature = "mcp-http")]
    session: Option<String>,
}

#[cfg(feature = "mcp-http")]
impl Head {
    fn take(request: &mut RequestContext<RoleServer>) -> Self {
        let Some(parts) = request.extensions.remove::<axum::http::request::Parts>() else {
            return Self { extensions: http::Extensions::new(), session: None };
        };
        let session = parts.headers.get("mcp-session-id").and_then(|v| v.to_str().ok());
        let session = session.map(str::to_owned);
        let mut extensions = parts.extensions;
        extensions.insert(parts.headers);
        Self { extensions, session }
    }

    fn principal(&self) -> String {
        self.extensions.get::<Principal>().map(|who| who.0.clone()).unwrap_or_default()
    }

    /// Whose rate this request counts for.
    fn client_key(&self, principal: &str) -> String {
        use axum::extract::ConnectInfo;
        if !principal.is_empty() {
            return principal.to_owned();
        }
        let address = self.extensions.get::<ConnectInfo<std::net::SocketAddr>>();
        match (address, &self.session) {
            (Some(ConnectInfo(address)), _) => address.ip().to_string(),
            (None, Some(session)) => session.clone(),
            (None, None) => String::new(),
        }
    }
}

#[cfg(not(feature = "mcp-http"))]
impl Head {
    fn take(_: &mut RequestContext<RoleServer>) -> Self {
        Self {}
    }

    fn principal(&self) -> String {
        String::new()
    }

    fn client_key(&self, _: &str) -> String {
        String::new()
    }
}

/// The code of a request that was not let in: a server's own, by JSON-RPC.
const REFUSED: ErrorCode = ErrorCode(-32000);

fn refused(error: &Error) -> ErrorData {
    ErrorData::new(REFUSED, error.to_string(), None)
}

/// Whether a function ended because its client cannot be asked.
fn wants_capability(error: &Error) -> bool {
    error.kind() == ErrorKind::FailedPrecondition
        && error.details().is_some_and(|details| details.get("requiredCapabilities").is_some())
}

fn missing_capability(error: &Error) -> ErrorData {
    ErrorData::new(
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
        error.to_string(),
        error.details().cloned(),
    )
}
