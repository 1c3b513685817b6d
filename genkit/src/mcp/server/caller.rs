//! An MCP client as the caller of a function, in either era.

#![allow(deprecated, reason = "SEP-2577 deprecates sampling, roots and logging; clients have them")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, CreateMessageRequestParams, ElicitRequest, ElicitRequestParams,
    Implementation, InputRequest, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProgressToken, ServerRequest,
};
use rmcp::service::{Peer, RequestContext, ServiceError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::content;
use super::error::Error as E;
use super::quota::{Place, SessionQuota};
use super::session::{Era, Session};
use super::settings::{ApprovalFallback, QUESTION_TIMEOUT};
use crate::context::{
    Caller, CallerAnswer, Capability, ClientInfo, LogLevel, Progress, Question, QuestionKind,
};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::mcp::level;
use crate::registry::Registry;

/// One request of a client, as the function that serves it sees it.
pub(crate) struct McpCaller {
    era: Era,
    peer: Peer<RoleServer>,
    capabilities: ClientCapabilities,
    client: Option<Implementation>,
    progress: Option<ProgressToken>,
    /// The least serious level that this client wants; `None` is no logging at all.
    level: Option<LogLevel>,
    registry: Registry,
    /// Counts chunks, which are progress without a measure.
    chunks: AtomicU32,
    approval_fallback: ApprovalFallback,
    quota: Arc<SessionQuota>,
    /// What it gives back while its client is asked.
    place: Option<Place>,
}

impl McpCaller {
    pub(crate) fn new(
        request: &RequestContext<RoleServer>,
        era: Era,
        session: &Session,
        registry: &Registry,
        approval_fallback: ApprovalFallback,
    ) -> Self {
        let level = match era {
            Era::Legacy => Some(session.level()),
            Era::Modern => request.meta.log_level().map(level::of_mcp),
        };
        // Without a session only the request itself says who calls; the SDK would name itself.
        let client = match era {
            Era::Legacy => request.client_info(),
            Era::Modern => request.meta.client_info(),
        };
        Self {
            era,
            peer: request.peer.clone(),
            capabilities: request.client_capabilities().unwrap_or_default(),
            client,
            progress: request.meta.get_progress_token(),
            level,
            registry: registry.clone(),
            chunks: AtomicU32::new(0),
            approval_fallback,
            quota: Arc::clone(session.quota()),
            place: None,
        }
    }

    pub(crate) fn with_place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Whether `needs_approval` is left to the client, which cannot be asked.
    pub(crate) fn trusted_to_approve(&self) -> bool {
        self.approval_fallback == ApprovalFallback::TrustClient
            && !self.can(Capability::Elicitation)
    }

    /// Whether there is anything that it can be asked.
    pub(crate) fn can_be_asked(&self) -> bool {
        Capability::ALL.into_iter().any(|capability| self.can(capability))
    }

    pub(crate) fn client_info(&self) -> Option<&Implementation> {
        self.client.as_ref()
    }

    async fn ask(&self, question: &Question) -> Result<CallerAnswer> {
        let params = params(&question.kind)?;
        match &question.kind {
            QuestionKind::Elicitation { .. }
            | QuestionKind::Approval { .. }
            | QuestionKind::Interrupt { .. } => {
                let params: ElicitRequestParams = typed(params)?;
                // rmcp's own method comes with a feature that brings a URL library of 20 crates.
                let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
                answer(self.peer.send_request(request).await)
            }
            QuestionKind::Sampling(_) => {
                let params: CreateMessageRequestParams = typed(params)?;
                answer(self.peer.create_message(params).await)
            }
            QuestionKind::Roots => answer(self.peer.list_roots().await),
        }
    }
}

impl Caller for McpCaller {
    fn can(&self, capability: Capability) -> bool {
        match capability {
            Capability::Elicitation => self
                .capabilities
                .elicitation
                .as_ref()
                // `{}` means forms; a client that only opens URLs cannot show one.
                .is_some_and(|can| can.form.is_some() || can.url.is_none()),
            Capability::Sampling => self.capabilities.sampling.is_some(),
            Capability::Roots => self.capabilities.roots.is_some(),
        }
    }

    fn answer<'a>(&'a self, question: &'a Question) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        if self.era == Era::Modern {
            return None;
        }
        Some(Box::pin(async move {
            let open = self.quota.question()?;
            let paused = self.place.as_ref().map(Place::while_waiting);
            let answered = tokio::time::timeout(QUESTION_TIMEOUT, self.ask(question)).await;
            drop(open);
            if let Some(paused) = paused {
                paused.resume().await;
            }
            match answered {
                Ok(answer) => answer,
                Err(_) => Err(E::NoAnswerInTime(QUESTION_TIMEOUT).into()),
            }
        }))
    }

    fn progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(token) = &self.progress else { return };
            let mut params = ProgressNotificationParam::new(token.clone(), progress.done);
            params.total = progress.total;
            params.message = progress.message;
            // A client that is gone shows as cancellation, not here.
            let _ = self.peer.notify_progress(params).await;
        })
    }

    fn log(&self, severity: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.level.is_none_or(|least| severity < least) {
                return;
            }
            let params = LoggingMessageNotificationParam::new(level::to_mcp(severity), data);
            let _ = self.peer.notify_logging_message(params).await;
        })
    }

    fn chunk(&self, chunk: Value) -> BoxFuture<'_, ()> {
        let count = 1 + self.chunks.fetch_add(1, Ordering::Relaxed);
        let text = match chunk {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.progress(Progress::new(f64::from(count)).with_message(text))
    }

    fn resource_updated(&self, uri: String) {
        self.registry.resource_updated(uri);
    }

    fn client(&self) -> Option<ClientInfo> {
        let client = self.client.as_ref()?;
        Some(ClientInfo { name: client.name.clone(), version: client.version.clone() })
    }
}

/// A question inside a result, as the 2026-07-28 protocol sends it.
pub(crate) fn input_request(kind: &QuestionKind) -> Result<InputRequest> {
    let method = match kind {
        QuestionKind::Elicitation { .. }
        | QuestionKind::Approval { .. }
        | QuestionKind::Interrupt { .. } => "elicitation/create",
        QuestionKind::Sampling(_) => "sampling/createMessage",
        QuestionKind::Roots => "roots/list",
    };
    typed(json!({ "method": method, "params": params(kind)? }))
}

/// What is asked, in MCP's JSON.
fn params(kind: &QuestionKind) -> Result<Value> {
    Ok(match kind {
        QuestionKind::Elicitation { message, schema } => json!({
            "mode": "form",
            "message": message,
            "requestedSchema": crate::schema::form(schema)?,
        }),
        QuestionKind::Approval { message } => json!({
            "mode": "form",
            "message": message,
            "requestedSchema": { "type": "object", "properties": {} },
        }),
        QuestionKind::Interrupt { metadata } => json!({
            "mode": "form",
            "message": metadata["message"].as_str().unwrap_or("The tool asks whether it may go on."),
            "requestedSchema": { "type": "object", "properties": {} },
        }),
        QuestionKind::Sampling(request) => {
            let mut params = json!({
                "messages": content::sampling_messages(&request.messages),
                "maxTokens": request.max_tokens,
            });
            if let Some(system) = &request.system {
                params["systemPrompt"] = json!(system);
            }
            if let Some(temperature) = request.temperature {
                params["temperature"] = json!(temperature);
            }
            if !request.stop.is_empty() {
                params["stopSequences"] = json!(request.stop);
            }
            params
        }
        QuestionKind::Roots => json!({}),
    })
}

fn typed<T: DeserializeOwned>(params: Value) -> Result<T> {
    Ok(serde_json::from_value(params).map_err(E::Unsendable)?)
}

fn answer<T: Serialize>(answer: std::result::Result<T, ServiceError>) -> Result<CallerAnswer> {
    match answer {
        Ok(answer) => Ok(CallerAnswer::from_json(serde_json::to_value(answer)?)),
        Err(ServiceError::McpError(error)) => {
            Err(E::QuestionRefused(error.message.into_owned()).into())
        }
        Err(_) => Err(E::ClientGone.into()),
    }
}
