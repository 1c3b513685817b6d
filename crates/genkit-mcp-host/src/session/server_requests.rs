//! Requests of servers to the client: elicitation, sampling, roots.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::model::TASKS_EXTENSION_ID;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode,
    ErrorData, FormElicitationCapability, Implementation, ListRootsResult, ProtocolVersion,
    Root as McpRoot, RootsCapabilities, SamplingCapability, UrlElicitationCapability,
};
use rmcp::service::{InboundStreamOrigin, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tokio::sync::SemaphorePermit;

use super::state::SessionState;
use crate::input::elicit::{ElicitHandler, ElicitRequest, to_mcp};
use crate::input::error::Error as SamplingError;
use crate::limits::QUESTION_TIMEOUT;
use genkit_core::Elicited;
use genkit_core::ErrorKind;
use genkit_core::internal::action::{APP_EXTENSION, APP_MIME_TYPE};
use genkit_core::internal::sync::read;
use genkit_core::internal::visible::Logged;

/// Answers the requests from a server, as the client's side of one connection.
pub(crate) struct ServerRequests {
    pub(crate) session: Arc<SessionState>,
}

impl ServerRequests {
    /// Asks the program's own handler; declines if there is none.
    pub(crate) async fn answer_elicitation(&self, question: ElicitRequest) -> ElicitResult {
        let answer = match &self.session.settings.on_elicit {
            Some(handler) => {
                let _answering = self.session.begin_answer();
                call_handler(&self.session.server, handler, question.clone()).await
            }
            None => {
                if let Some(warnings) = self.session.client.warnings.count_warning() {
                    tracing::warn!(
                        server = &*self.session.server, warnings, question = %Logged::text(&question.message),
                        "declined a question from a server because it cannot be answered; set `.on_elicit(..)` \
                         on the host"
                    );
                }
                Elicited::Declined
            }
        };
        to_mcp(answer, &question)
    }

    /// Asks the caller of the request that the question is about.
    async fn elicit_from_caller(
        &self,
        question: ElicitRequest,
        place: SemaphorePermit<'_>,
        context: &RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let in_flight = &self.session.in_flight;
        let request = match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => in_flight.by_id(id),
            Some(InboundStreamOrigin::Unassociated) | None => {
                in_flight.match_question(&self.session.server).await
            }
        };
        // From here on, the question counts towards the limit of its call, because questions to different users may be
        // open at the same time.
        drop(place);
        let Some(request) = request.filter(|r| r.can_elicit && question.schema.is_some()) else {
            return Ok(self.answer_elicitation(question).await);
        };
        if let Some(answer) = request.ask_caller(question.clone()).await {
            return Ok(to_mcp(answer, &question));
        }
        // The call is given up for now. Wait until its cancellation is sent, so that the server does not take this
        // error as the user's rejection.
        tokio::select! {
            () = request.wait_until_over() => {}
            () = self.session.end_token().cancelled() => {}
        }
        Err(internal_error("the call that this question is about was cancelled"))
    }

    /// Returns a model's response in MCP's JSON.
    pub(crate) async fn answer_sampling(
        &self,
        params: &CreateMessageRequestParams,
    ) -> Result<Value, ErrorData> {
        let Some(sampling) = &self.session.settings.sampling else {
            let why = "this client does not support sampling";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None));
        };
        let answering = AssertUnwindSafe(sampling.answer_request(
            &self.session.server,
            &self.session.client.sampling,
            params,
        ));
        let answer =
            answering.catch_unwind().await.unwrap_or_else(|_| Err(SamplingError::Panicked.into()));
        answer.map_err(|error| {
            let server = &*self.session.server;
            let why = error.chain();
            let why = Logged::text(&why);
            if let Some(warnings) = self.session.client.warnings.count_warning() {
                tracing::warn!(server, warnings, error = %why, "sampling for a server failed");
            }
            match error.kind() {
                // The code that MCP's examples use for a user's rejection.
                ErrorKind::PermissionDenied => {
                    ErrorData::new(ErrorCode(-1), error.to_string(), None)
                }
                _ => internal_error(error.to_string()),
            }
        })
    }

    pub(crate) fn roots_result(&self) -> ListRootsResult {
        let own = read(&self.session.client.roots).clone();
        let roots = own.or_else(|| self.session.settings.shared_roots()).unwrap_or_default();
        let roots = roots.into_iter().map(|root| {
            let mut listed = McpRoot::new(root.uri);
            listed.name = root.name;
            listed
        });
        ListRootsResult::new(roots.collect())
    }
}

/// The error for a server that sends too many requests.
const TOO_MANY: &str = "too many requests are open, or were sent within a second";

/// Declines a question without asking.
pub(crate) fn decline_elicitation(session: &SessionState) -> ElicitResult {
    if let Some(warnings) = session.client.warnings.count_warning() {
        tracing::warn!(
            server = &*session.server,
            warnings,
            "declined a question from a server: too many requests are open, or the question is too large or contains \
             invisible characters"
        );
    }
    ElicitResult::new(ElicitationAction::Decline)
}

fn internal_error(message: impl Into<std::borrow::Cow<'static, str>>) -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None)
}

/// Calls the program's own handler; the question is cancelled if the handler panics or times out.
async fn call_handler(
    server: &str,
    handler: &ElicitHandler,
    question: ElicitRequest,
) -> Elicited<Value> {
    let answering = AssertUnwindSafe(async { handler(question).await }).catch_unwind();
    let error = match tokio::time::timeout(QUESTION_TIMEOUT, answering).await {
        Ok(Ok(answer)) => return answer,
        Ok(Err(_)) => "it panicked".to_owned(),
        Err(_) => format!("it did not respond within {QUESTION_TIMEOUT:?}"),
    };
    tracing::error!(server, error, "the elicitation handler failed; the question is cancelled");
    Elicited::Cancelled
}

impl ClientHandler for ServerRequests {
    fn get_info(&self) -> ClientConfig {
        let settings = &self.session.settings;
        let mut form = FormElicitationCapability::new();
        form.schema_validation = None;
        let mut elicitation = ElicitationCapability::new().with_form(form);
        if settings.on_elicit.is_some() {
            elicitation = elicitation.with_url(UrlElicitationCapability::default());
        }
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(elicitation);
        capabilities.sampling = settings.sampling.as_ref().map(|_| SamplingCapability::default());
        let mut roots = RootsCapabilities::default();
        roots.list_changed = Some(true);
        capabilities.roots = Some(roots);
        let extensions = capabilities.extensions.get_or_insert_default();
        extensions.entry(TASKS_EXTENSION_ID.to_owned()).or_default();
        if settings.apps {
            let mut shown = serde_json::Map::new();
            shown.insert("mimeTypes".to_owned(), serde_json::json!([APP_MIME_TYPE]));
            extensions.insert(APP_EXTENSION.to_owned(), shown);
        }
        let client = Implementation::new(settings.name.clone(), settings.version.clone());
        // Otherwise the old handshake would propose the new protocol version, which has no handshake.
        ClientConfig::new(capabilities, client)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let (Some(question), Some(place)) = (
            ElicitRequest::new(&self.session.server, &self.session.redactor, &params),
            self.session.acquire_request_permit(),
        ) else {
            return Ok(decline_elicitation(&self.session));
        };
        let asking = async {
            match self.session.settings.on_elicit {
                Some(_) => Ok(self.answer_elicitation(question).await),
                None => self.elicit_from_caller(question, place, &context).await,
            }
        };
        let cancelled = || Ok(ElicitResult::new(ElicitationAction::Cancel));
        until_cancelled(&context, asking).await.unwrap_or_else(cancelled)
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let Some(_place) = self.session.acquire_request_permit() else {
            return Err(internal_error(TOO_MANY));
        };
        let _answering = self.session.begin_answer();
        let answer = until_cancelled(&context, self.answer_sampling(&params)).await;
        let answer = answer.unwrap_or_else(|| Err(internal_error("the request was cancelled")))?;
        serde_json::from_value(answer)
            .map_err(|error| internal_error(format!("invalid response from the model: {error}")))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let Some(_place) = self.session.acquire_request_permit() else {
            return Err(internal_error(TOO_MANY));
        };
        Ok(self.roots_result())
    }
}

/// Runs `work`; returns `None` if the server cancels its request.
async fn until_cancelled<T>(
    context: &RequestContext<RoleClient>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = context.ct.cancelled() => None,
    }
}
