//! An MCP client as the caller of a function, in both protocol eras.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates sampling, roots and logging, which current clients still use"
)]

mod channel;
pub(crate) mod message;
mod outlet;
mod request;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, RequestId,
};
use serde_json::{Map, Value};

use self::channel::Channel;
pub(crate) use self::outlet::{Outlet, Outward};
pub(crate) use self::request::Request;
use super::error::Error as E;
use super::quota::{HeldPlace, SessionQuota};
use super::session::{ClientDescription, Era};
use super::settings::{ApprovalFallback, ServerSettings};
use genkit_core::BoxFuture;
use genkit_core::Registry;
use genkit_core::Result;
use genkit_core::internal::context::{
    Asker, Caller, CallerAnswer, Capability, Question, QuestionKind,
};
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible;
use genkit_core::{ClientInfo, LogLevel, Progress};
use genkit_mcp::internal::content::{self, build_object};
use genkit_mcp::internal::jsonrpc::MAX_ID_BYTES;
use genkit_mcp::internal::level;

/// A client's request, as the [`Caller`] of the function that handles it.
pub(crate) struct McpCaller {
    era: Era,
    channel: Channel,
    client: Arc<ClientDescription>,
    progress: Option<ProgressToken>,
    /// The lowest log level that this client requested; `None` disables logging.
    level: Option<LogLevel>,
    registry: Registry,
    /// The number of chunks sent, which are reported as progress without a total.
    chunks: AtomicU32,
    approval_fallback: ApprovalFallback,
    question_timeout: Duration,
    quota: Arc<SessionQuota>,
    asker: Asker,
    /// The in-flight slot, which is released while the client is asked.
    place: Mutex<Option<HeldPlace>>,
}

impl McpCaller {
    pub(crate) fn new(request: &Request, registry: &Registry, settings: &ServerSettings) -> Self {
        let level = match request.era {
            Era::Legacy => Some(request.session.level()),
            Era::Modern => request.meta.log_level().map(level::of_mcp),
        };
        Self {
            era: request.era,
            channel: Channel {
                outlet: request.outlet.clone(),
                session: Arc::clone(&request.session),
            },
            client: Arc::clone(&request.client),
            progress: request.meta.get_progress_token().filter(is_short),
            level,
            registry: registry.clone(),
            chunks: AtomicU32::new(0),
            approval_fallback: settings.approval_fallback,
            question_timeout: settings.question_timeout,
            quota: Arc::clone(request.session.quota()),
            asker: request.session.asker,
            place: Mutex::default(),
        }
    }

    pub(crate) fn hold_place(&self, place: HeldPlace) {
        *lock(&self.place) = Some(place);
    }

    /// Releases the in-flight slot, even if a task that the function spawned still holds this caller.
    pub(crate) fn release_place(&self) {
        let place = lock(&self.place).take();
        drop(place);
    }

    /// Returns whether `needs_approval` is left to the client, because it cannot be asked.
    pub(crate) fn trusted_to_approve(&self) -> bool {
        self.approval_fallback == ApprovalFallback::TrustClient
            && !self.has_capability(Capability::Elicitation)
    }

    /// Returns whether the client supports any kind of question.
    pub(crate) fn can_be_asked(&self) -> bool {
        Capability::ALL.into_iter().any(|capability| self.has_capability(capability))
    }
}

/// Returns whether a token is at most as long as an id; it is copied into each notification.
fn is_short(token: &ProgressToken) -> bool {
    !matches!(&token.0, RequestId::String(text) if text.len() > MAX_ID_BYTES)
}

impl Caller for McpCaller {
    fn asker(&self) -> Option<Asker> {
        Some(self.asker)
    }

    fn has_capability(&self, capability: Capability) -> bool {
        self.client.supports_question(capability)
    }

    fn answer_question<'a>(
        &'a self,
        question: &'a Question,
    ) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        if self.era == Era::Modern {
            return None;
        }
        Some(Box::pin(async move {
            let open = self.quota.open_question()?;
            let paused = lock(&self.place).as_ref().map(HeldPlace::while_waiting);
            let (limit, params) = (self.question_timeout, question_params(&question.kind)?);
            let answered = tokio::select! {
                answered = self.channel.ask_client(&question.kind, params) => answered,
                () = open.gives_way() => Err(E::QuestionGaveWay.into()),
                () = tokio::time::sleep(limit) => Err(E::NoAnswerInTime(limit).into()),
            };
            drop(open);
            if let Some(paused) = paused {
                paused.resume().await;
            }
            answered
        }))
    }

    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(token) = &self.progress else { return };
            let mut params = ProgressNotificationParam::new(token.clone(), progress.done);
            params.total = progress.total;
            params.message = progress.message;
            self.channel.send_progress(params).await;
        })
    }

    fn send_log(&self, severity: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.level.is_none_or(|least| severity < least) {
                return;
            }
            let params = LoggingMessageNotificationParam::new(level::to_mcp(severity), data);
            self.channel.send_log(params).await;
        })
    }

    fn send_chunk(&self, chunk: Value) -> BoxFuture<'_, ()> {
        let count = 1 + self.chunks.fetch_add(1, Ordering::Relaxed);
        let text = match chunk {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.report_progress(Progress::new(f64::from(count)).with_message(text))
    }

    fn resource_updated(&self, uri: String) {
        self.registry.resource_updated(uri);
    }

    fn url_completed(&self, id: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.era == Era::Legacy && self.has_capability(Capability::ElicitUrl) {
                self.channel.send_completion(id).await;
            }
        })
    }

    fn client_info(&self) -> Option<ClientInfo> {
        self.client.shown_info()
    }
}

/// Builds a question inside a result, for protocol 2026-07-28.
pub(crate) fn input_request(kind: &QuestionKind) -> Result<Value> {
    Ok(build_object(vec![
        ("method", channel::method_name(kind).into()),
        ("params", question_params(kind)?),
    ]))
}

/// Builds the parameters of a question, as MCP JSON.
fn question_params(kind: &QuestionKind) -> Result<Value> {
    let nothing =
        || build_object(vec![("type", "object".into()), ("properties", Value::Object(Map::new()))]);
    let form = |message: &str, schema| {
        let mode = ("mode", "form".into());
        build_object(vec![mode, ("message", message.into()), ("requestedSchema", schema)])
    };
    Ok(match kind {
        QuestionKind::Elicitation { message, schema } => {
            form(message, genkit_schema::internal::form(schema)?)
        }
        QuestionKind::ElicitUrl { message, url, id } => build_object(vec![
            ("mode", "url".into()),
            ("message", message.as_str().into()),
            ("url", url.as_str().into()),
            ("elicitationId", id.as_str().into()),
        ]),
        QuestionKind::Approval { message } => form(message, nothing()),
        QuestionKind::Interrupt { metadata } => {
            let message = metadata["message"].as_str();
            let message = message.unwrap_or("The tool is waiting for your approval to continue.");
            form(&visible::escape_prose(message), nothing())
        }
        QuestionKind::Sampling(request) => {
            let messages =
                content::sampling_messages(&request.messages).ok_or(E::UnsendablePart)?;
            let mut params = vec![("messages", messages), ("maxTokens", request.max_tokens.into())];
            if let Some(system) = &request.system {
                params.push(("systemPrompt", system.as_str().into()));
            }
            if let Some(temperature) = request.temperature {
                params.push(("temperature", temperature.into()));
            }
            if !request.stop.is_empty() {
                params.push(("stopSequences", request.stop.clone().into()));
            }
            build_object(params)
        }
        QuestionKind::Roots => build_object(Vec::new()),
    })
}
