//! A connection to a server, which sends requests and waits for their results.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientRequest, GetExtensions as _,
    PingRequest, RequestId, RequestMetaObject, ServerPeerInfo, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RunningService, ServiceError};
use serde_json::{Map, Value};
use tokio::time::Instant;
use tracing::Instrument as _;

use super::error::{Error, RequestError};
use super::in_flight::{OpenRequest, RequestTag, Signal};
use super::server_requests::ServerRequests;
use super::state::{ListKind, SessionState};
use crate::error::ServerErrorExt as _;
use crate::input::elicit;
use crate::limits::{PING_TIMEOUT, QUESTION_TIMEOUT};
use crate::transport::http::Endpoint;
use crate::transport::stdio::pipe::ResultFormat;
use genkit_core::Context;
use genkit_core::TraceContext;
use genkit_core::internal::telemetry::error_type;
use genkit_mcp::internal::spans::{
    Network, NewSent, OpenSession, SentSpan, Target, has_listener, method_name,
};

/// A live connection.
pub(crate) struct Connection {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) session: Arc<SessionState>,
    pub(crate) server_requests: Arc<ServerRequests>,
    pub(crate) info: Arc<ServerPeerInfo>,
    /// Distinguishes this connection from earlier ones.
    pub(crate) number: u64,
    pub(crate) timeout: Duration,
    pub(crate) max_timeout: Duration,
    /// Whether requests contain the trace context of their caller.
    pub(crate) traces: bool,
    /// Measures the session, if metrics are collected.
    pub(crate) _measured: Option<OpenSession>,
    pub(crate) endpoint: Option<Endpoint>,
}

/// The rmcp task that runs a connection.
pub(crate) type ClientTask = RunningService<RoleClient, Arc<ServerRequests>>;

impl Connection {
    /// Returns whether requests follow the rules of MCP 2026-07-28 and later.
    pub(crate) fn is_stateless(&self) -> bool {
        !self.info.protocol_version.has_initialize()
    }

    /// Returns whether the connection uses HTTP.
    pub(crate) fn is_remote(&self) -> bool {
        self.endpoint.is_some()
    }

    /// Returns whether the server has the capability to report changes of this list.
    pub(crate) fn can_announce(&self, kind: ListKind) -> bool {
        let (offered, yes) = (&self.info.capabilities, Some(true));
        match kind {
            ListKind::Tools => offered.tools.as_ref().is_some_and(|all| all.list_changed == yes),
            ListKind::Prompts => {
                offered.prompts.as_ref().is_some_and(|all| all.list_changed == yes)
            }
            ListKind::Resources => {
                offered.resources.as_ref().is_some_and(|all| all.list_changed == yes)
            }
        }
    }

    /// Sends a request and waits for its result, of any shape. `target` is the server's own name for the tool or
    /// prompt, or the URI of the resource.
    ///
    /// Dropping the future cancels the request.
    pub(crate) async fn send_request(
        &self,
        request: ClientRequest,
        target: &str,
        context: &Context,
        mut meta: Map<String, Value>,
    ) -> Result<ServerResult, RequestError> {
        let told = self.begin_span(&request, target);
        let own = told.as_ref().and_then(SentSpan::context);
        // If configured, send the context of this span, or else of the caller's trace, so that the server continues it.
        let trace = own.or_else(|| TraceContext::of_meta(context.meta())).filter(|_| self.traces);
        if let Some(trace) = &trace {
            trace.write_to(&mut meta);
        }
        let exchange = pin!(self.exchange_messages(request, target, context, meta, trace.as_ref()));
        let Some(told) = told else { return exchange.await };
        let answer = exchange.instrument(told.span().clone()).await;
        match &answer {
            Ok(result) => told.close(is_tool_error(result).then_some("tool_error"), None),
            Err(failed) => told.close(Some(error_type(failed.error.kind())), failed.code),
        }
        answer
    }

    /// Starts the span of a request, if any subscriber is interested.
    fn begin_span(&self, request: &ClientRequest, target: &str) -> Option<SentSpan> {
        if !has_listener() {
            return None;
        }
        let server = self.endpoint.as_ref().and_then(Endpoint::server);
        SentSpan::open(&NewSent {
            method: method_name(request.method()),
            target: match request {
                ClientRequest::CallToolRequest(_) => Target::Tool(target),
                ClientRequest::GetPromptRequest(_) => Target::Prompt(target),
                ClientRequest::ReadResourceRequest(_) => Target::Resource(target),
                _ => Target::Nothing,
            },
            version: Some(self.info.protocol_version.as_str()),
            network: if self.is_remote() { Network::Http } else { Network::Pipe },
            server: server.as_ref().map(|(host, port)| (host.as_str(), *port)),
        })
    }

    async fn exchange_messages(
        &self,
        mut request: ClientRequest,
        target: &str,
        context: &Context,
        meta: Map<String, Value>,
        trace: Option<&TraceContext>,
    ) -> Result<ServerResult, RequestError> {
        let (open, mut signals) = OpenRequest::new(target, context);
        request.extensions_mut().insert(RequestTag(Arc::new(open)));
        request.extensions_mut().insert(ResultFormat::Untyped);
        if let Some(headers) = self.endpoint.as_ref().and_then(|e| e.headers_for(context, trace)) {
            request.extensions_mut().insert(headers);
        }
        let mut options = PeerRequestOptions::no_options();
        if !meta.is_empty() {
            options = options.with_meta(RequestMetaObject(rmcp::model::MetaObject(meta)));
        }
        // A question from the server can be assigned to its call only if a single call is open.
        let one_by_one = context.can_elicit() && !self.is_stateless() && !self.is_remote();
        let _turn = if one_by_one { self.session.in_flight.wait_for_turn().await } else { None };
        let sent = self.peer.send_cancellable_request(request, options).await;
        let mut handle = sent.map_err(|error| self.request_error(error))?;
        let mut cancel = CancelOnDrop { peer: &self.peer, id: Some(handle.id.clone()) };
        let started = Instant::now();
        let (mut silent_since, mut answering, mut questions) = (started, Duration::ZERO, 0);
        let answer = loop {
            let end = (silent_since + self.timeout).min(started + self.max_timeout + answering);
            tokio::select! {
                biased;
                // Signals that arrived before the response are delivered first.
                Some(signal) = signals.recv() => {
                    let before = Instant::now();
                    answer_signal(context, signal, &mut questions).await;
                    // Exclude the time that the user takes to answer.
                    answering += before.elapsed();
                    silent_since = Instant::now();
                }
                answer = &mut handle.rx => break answer,
                () = tokio::time::sleep_until(end) => {
                    // While this side answers a question, the server cannot respond.
                    if self.session.is_answering() && answering < QUESTION_TIMEOUT {
                        answering += self.timeout;
                        silent_since = Instant::now();
                        continue;
                    }
                    let is_silent = silent_since + self.timeout == end;
                    let limit = if is_silent { self.timeout } else { self.max_timeout };
                    let error = Error::TooSlow { target: target.to_owned(), limit };
                    return Err(error.for_server(&self.session.server).into());
                }
            }
        };
        cancel.id = None;
        // The interceptor finishes a request when its response passes, but a response that was cut off never did.
        drop(self.session.in_flight.finish_request(&handle.id));
        let answer = answer.unwrap_or(Err(ServiceError::TransportClosed));
        answer.map_err(|error| self.request_error(error))
    }

    /// Sends a request from the host itself, without a caller.
    pub(crate) async fn own_request(
        &self,
        request: ClientRequest,
        target: &str,
    ) -> Result<ServerResult, RequestError> {
        self.send_request(request, target, &Context::detached(), Map::new()).await
    }

    /// Pings the server to check whether the session still exists, because some errors do not show this. Returns
    /// `false` without an HTTP session.
    pub(crate) async fn is_alive(&self) -> bool {
        if self.is_stateless() || !self.is_remote() {
            return false;
        }
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let answer = tokio::time::timeout(PING_TIMEOUT, self.own_request(ping, "ping")).await;
        answer.is_ok_and(|answer| answer.is_ok())
    }

    pub(crate) fn request_error(&self, error: ServiceError) -> RequestError {
        let is_closed = self.peer.is_transport_closed() || self.session.end_token().is_cancelled();
        RequestError::new(&self.session, error, is_closed)
    }
}

/// Returns whether a tool reported a failure.
fn is_tool_error(result: &ServerResult) -> bool {
    match result {
        ServerResult::CallToolResult(result) => result.is_error == Some(true),
        ServerResult::CustomResult(result) => result.0["isError"] == true,
        _ => false,
    }
}

/// Delivers a signal that arrives while the caller waits. If the caller answers the question later, this never returns:
/// the future is dropped, and the request is cancelled.
async fn answer_signal(context: &Context, signal: Signal, questions: &mut usize) {
    match signal {
        Signal::Progress(progress) => context.progress(progress).await,
        Signal::Question(question, answer) => {
            // The same text asked twice counts as two questions.
            *questions += 1;
            let key = questions.to_string();
            let _ = answer.send(elicit::ask_caller(context, question, &key).await);
        }
    }
}

/// A guard that cancels the request on drop, unless the id was taken.
pub(crate) struct CancelOnDrop<'a> {
    pub(crate) peer: &'a Peer<RoleClient>,
    pub(crate) id: Option<RequestId>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let params = CancelledNotificationParam::new(Some(id), Some("no longer wanted".to_owned()));
        let (peer, cancelled) = (self.peer.clone(), CancelledNotification::new(params));
        // Without a runtime, the connection ends, and with it the server's work.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { peer.send_notification(cancelled.into()).await });
        }
    }
}
