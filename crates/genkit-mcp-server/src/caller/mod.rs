//! An MCP client as the caller of a function, in both protocol eras.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates sampling, roots and logging, which current clients still use"
)]

pub(crate) mod message;
pub(crate) mod notifications;
mod outlet;
mod questions;
mod request;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rmcp::model::{ProgressToken, RequestId, RequestMetaObject};
use serde_json::Value;

pub(crate) use self::outlet::{Outlet, Outward};
pub(crate) use self::questions::input_request;
use self::questions::question_params;
pub(crate) use self::request::Request;
use super::error::Error as E;
use super::quota::SlotGuard;
use super::session::Era;
use super::settings::{ApprovalFallback, ServerSettings};
use genkit_core::internal::context::{Caller, CallerAnswer, Capability, Question, QuestionChannel};
use genkit_core::internal::sync::lock;
use genkit_core::{BoxFuture, ClientInfo, LogLevel, Progress, Registry, Result};
use genkit_mcp::internal::jsonrpc::MAX_ID_BYTES;
use genkit_mcp::internal::level;

/// A client's request, as the [`Caller`] of the function that handles it.
pub(crate) struct McpCaller {
    /// The request, without its `_meta` and its extensions.
    pub(crate) request: Request,
    progress: Option<ProgressToken>,
    /// The lowest log level that this client requested; `None` disables logging.
    level: Option<LogLevel>,
    registry: Registry,
    /// The number of chunks sent, which are reported as progress without a total.
    chunks: AtomicU32,
    approval_fallback: ApprovalFallback,
    question_timeout: Duration,
    /// The in-flight slot, which is released while a question waits for its answer.
    place: Mutex<Option<SlotGuard>>,
}

impl McpCaller {
    pub(crate) fn new(
        request: Request,
        meta: &RequestMetaObject,
        registry: &Registry,
        settings: &ServerSettings,
    ) -> Self {
        let level = match request.era {
            Era::Legacy => Some(request.session.level()),
            Era::Modern => meta.log_level().map(level::from_mcp),
        };
        Self {
            request,
            progress: meta.get_progress_token().filter(is_short),
            level,
            registry: registry.clone(),
            chunks: AtomicU32::new(0),
            approval_fallback: settings.approval_fallback,
            question_timeout: settings.question_timeout,
            place: Mutex::default(),
        }
    }

    pub(crate) fn hold_slot(&self, place: SlotGuard) {
        *lock(&self.place) = Some(place);
    }

    /// Releases the in-flight slot, even if a task that the function spawned still holds this caller.
    pub(crate) fn release_slot(&self) {
        let place = lock(&self.place).take();
        drop(place);
    }

    /// Returns whether calls count as approved: the client cannot ask its user, and the server trusts it.
    pub(crate) fn trusted_to_approve(&self) -> bool {
        self.approval_fallback == ApprovalFallback::TrustClient
            && !self.has_capability(Capability::Elicitation)
    }

    /// Returns whether the client supports any kind of question.
    pub(crate) fn can_be_asked(&self) -> bool {
        Capability::ALL.into_iter().any(|capability| self.has_capability(capability))
    }
}

/// Returns whether a progress token is within the length limit of ids. Longer tokens are ignored, because each
/// notification contains a copy.
fn is_short(token: &ProgressToken) -> bool {
    !matches!(&token.0, RequestId::String(text) if text.len() > MAX_ID_BYTES)
}

impl Caller for McpCaller {
    fn question_channel(&self) -> Option<QuestionChannel> {
        Some(self.request.session.asker)
    }

    fn has_capability(&self, capability: Capability) -> bool {
        self.request.client.supports_question(capability)
    }

    fn answer_question<'a>(
        &'a self,
        question: &'a Question,
    ) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        if self.request.era == Era::Modern {
            return None;
        }
        Some(Box::pin(async move {
            let open = self.request.session.quota().open_question()?;
            let paused = lock(&self.place).as_ref().map(SlotGuard::while_waiting);
            let (limit, params) = (self.question_timeout, question_params(&question.kind)?);
            let answered = tokio::select! {
                answered = self.ask_client(&question.kind, params) => answered,
                () = open.wait_for_eviction() => Err(E::QuestionGaveWay.into()),
                () = tokio::time::sleep(limit) => Err(E::AnswerTimedOut(limit).into()),
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
            // If the client disconnects, the request is cancelled, so the result of `send` is ignored here.
            self.request.outlet.send(notifications::encode_progress(token, progress)).await;
        })
    }

    fn send_log(&self, severity: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.level.is_none_or(|least| severity < least) {
                return;
            }
            self.request.outlet.send(notifications::encode_log(severity, data)).await;
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

    fn notify_resource_updated(&self, uri: String) {
        self.registry.resource_updated(uri);
    }

    fn notify_url_completed(&self, id: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.request.era == Era::Legacy && self.has_capability(Capability::ElicitUrl) {
                self.request.outlet.send(notifications::encode_completion(id)).await;
            }
        })
    }

    fn client_info(&self) -> Option<ClientInfo> {
        self.request.client.shown_info()
    }
}
