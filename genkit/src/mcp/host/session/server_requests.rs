//! What servers may ask a host: the user's answer, the model, the folders.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode,
    ErrorData, FormElicitationCapability, Implementation, ListRootsResult, ProtocolVersion,
    Root as McpRoot, RootsCapabilities, SamplingCapability, UrlElicitationCapability,
};
use rmcp::service::{InboundStreamOrigin, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;

use super::notifications::Inbox;
use crate::context::Root;
use crate::error::{Error, ErrorKind};
use crate::mcp::host::input::elicit::{ElicitAnswer, ElicitRequest, OnElicit};
use crate::mcp::host::limits::QUESTION;
use crate::sync::read;

/// How long a cancellation may take to be written.
const A_MOMENT: Duration = Duration::from_millis(100);

type Answer<T> = std::result::Result<T, ErrorData>;

/// The host's side of one connection.
pub(crate) struct Handler {
    pub(crate) inbox: Arc<Inbox>,
    /// The folders of this server, where they are not those of the host.
    pub(crate) roots: Arc<RwLock<Option<Vec<Root>>>>,
}

impl Handler {
    /// The answer of the program's own handler, or a no where there is none.
    pub(crate) async fn elicit(&self, asked: ElicitRequest) -> ElicitResult {
        let answer = match &self.inbox.settings.on_elicit {
            Some(handler) => {
                let _answering = self.inbox.answer();
                handled(&self.inbox.server, handler, asked.clone()).await
            }
            None => {
                tracing::warn!(
                    server = &*self.inbox.server, question = ?asked.message,
                    "a server asks the user something, and nobody can answer: it is declined. Give \
                     the host `.on_elicit(..)`"
                );
                ElicitAnswer::decline()
            }
        };
        answer.to_mcp(&asked)
    }

    /// The answer of whoever made the call that the question is about.
    async fn ask_caller(
        &self,
        asked: ElicitRequest,
        context: &RequestContext<RoleClient>,
    ) -> Answer<ElicitResult> {
        let call = match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => self.inbox.desk.call(id),
            Some(InboundStreamOrigin::Unassociated) | None => {
                self.inbox.desk.asker(&self.inbox.server).await
            }
        };
        let Some(call) = call.filter(|call| call.askable && asked.schema.is_some()) else {
            return Ok(self.elicit(asked).await);
        };
        match call.ask(asked.clone()).await {
            Some(answer) => Ok(answer.to_mcp(&asked)),
            None => {
                // The call is given up for now: its cancellation goes first, so that the server does
                // not take this for the user's no.
                tokio::time::sleep(A_MOMENT).await;
                let said = "the call that this is about was cancelled";
                Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, said, None))
            }
        }
    }

    /// A model's answer in MCP's JSON.
    pub(crate) async fn sample(&self, params: &CreateMessageRequestParams) -> Answer<Value> {
        let Some(sampling) = &self.inbox.settings.sampling else {
            let said = "this client lends no model";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, said, None));
        };
        let answering = AssertUnwindSafe(sampling.answer(&self.inbox.server, params));
        let answer = answering.catch_unwind().await.unwrap_or_else(|_| {
            Err(Error::new(ErrorKind::Internal, "the sampling handler panicked"))
        });
        answer.map_err(|error| {
            let server = &*self.inbox.server;
            tracing::warn!(server, error = error.chain(), "a server got no answer from the model");
            let code = match error.kind() {
                // The code that MCP's examples give a user's no.
                ErrorKind::PermissionDenied => ErrorCode(-1),
                _ => ErrorCode::INTERNAL_ERROR,
            };
            ErrorData::new(code, error.to_string(), None)
        })
    }

    pub(crate) fn roots(&self) -> ListRootsResult {
        let own = read(&self.roots).clone();
        let roots = own.or_else(|| self.inbox.settings.roots()).unwrap_or_default();
        ListRootsResult::new(
            roots
                .into_iter()
                .map(|Root { uri, name }| {
                    let mut root = McpRoot::new(uri);
                    root.name = name;
                    root
                })
                .collect(),
        )
    }
}

/// The answer of the program's own handler; one that fails, panics or takes for ever is closed.
async fn handled(server: &str, handler: &OnElicit, asked: ElicitRequest) -> ElicitAnswer {
    let answering = AssertUnwindSafe(async { handler(asked).await }).catch_unwind();
    let said = match tokio::time::timeout(QUESTION, answering).await {
        Ok(Ok(answer)) => return answer,
        Ok(Err(_)) => "it panicked".to_owned(),
        Err(_) => format!("it did not answer within {QUESTION:?}"),
    };
    tracing::error!(server, said, "the handler of questions failed: the question is closed");
    ElicitAnswer::cancel()
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let settings = &self.inbox.settings;
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
        let client = Implementation::new(settings.name.clone(), settings.version.clone());
        // Else the old handshake would propose the new protocol, which has no handshake.
        ClientConfig::new(capabilities, client)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Answer<ElicitResult> {
        let asked = ElicitRequest::new(&self.inbox.server, &params);
        let asking = async {
            match self.inbox.settings.on_elicit {
                Some(_) => Ok(self.elicit(asked).await),
                None => self.ask_caller(asked, &context).await,
            }
        };
        let cancelled = || Ok(ElicitResult::new(ElicitationAction::Cancel));
        until_cancelled(&context, asking).await.unwrap_or_else(cancelled)
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Answer<CreateMessageResult> {
        let _answering = self.inbox.answer();
        let answer = until_cancelled(&context, self.sample(&params)).await;
        let answer = answer.unwrap_or_else(|| {
            Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "the request was cancelled", None))
        })?;
        serde_json::from_value(answer).map_err(|error| {
            ErrorData::new(ErrorCode::INTERNAL_ERROR, format!("the model's answer: {error}"), None)
        })
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Answer<ListRootsResult> {
        Ok(self.roots())
    }
}

/// `None` if the server takes its request back.
async fn until_cancelled<T>(
    context: &RequestContext<RoleClient>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = context.ct.cancelled() => None,
    }
}
