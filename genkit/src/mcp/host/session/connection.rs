//! One live connection: requests go out, and everything about them comes back.

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

use super::call::{Call, Signal};
use super::error;
use super::error::Fault;
use super::in_flight::CallTag;
use super::notifications::{Inbox, Kind};
use super::server_requests::Handler;
use crate::context::Context;
use crate::error::{Error, ErrorKind};
use crate::mcp::host::input::input_required;
use crate::mcp::host::limits::{PING, QUESTION};
use crate::mcp::host::transport::stdio::pipe::ResultFormat;

/// One live connection.
pub(crate) struct Connection {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) handler: Arc<Handler>,
    pub(crate) info: Arc<ServerPeerInfo>,
    /// Tells this connection from the ones before it.
    pub(crate) number: u64,
    pub(crate) timeout: Duration,
    pub(crate) max_timeout: Duration,
    #[cfg(feature = "mcp-host-http")]
    pub(crate) endpoint: Option<crate::mcp::host::transport::http::Endpoint>,
}

pub(crate) type Running = RunningService<RoleClient, Arc<Handler>>;

/// A request: what is asked, and in whose name.
pub(crate) struct Asking<'a> {
    pub(crate) request: ClientRequest,
    /// The tool, prompt or resource, as the server names it.
    pub(crate) of: &'a str,
    pub(crate) context: &'a Context,
    pub(crate) meta: Map<String, Value>,
}

impl Connection {
    /// Whether requests follow the rules from 2026-07-28 on.
    pub(crate) fn is_stateless(&self) -> bool {
        !self.info.protocol_version.has_initialize()
    }

    /// Whether there is HTTP between.
    pub(crate) fn is_remote(&self) -> bool {
        #[cfg(feature = "mcp-host-http")]
        return self.endpoint.is_some();
        #[cfg(not(feature = "mcp-host-http"))]
        false
    }

    /// Whether the server says that it tells when this list changes.
    pub(crate) fn announces(&self, kind: Kind) -> bool {
        let offered = &self.info.capabilities;
        let announced = match kind {
            Kind::Tools => offered.tools.as_ref().and_then(|tools| tools.list_changed),
            Kind::Prompts => offered.prompts.as_ref().and_then(|prompts| prompts.list_changed),
            Kind::Resources => offered.resources.as_ref().and_then(|all| all.list_changed),
        };
        announced == Some(true)
    }

    /// Sends a request and waits for what the server says: a result of any shape.
    ///
    /// Dropping the future tells the server that nobody waits any more.
    pub(crate) async fn ask(&self, asking: Asking<'_>) -> std::result::Result<ServerResult, Fault> {
        let Asking { mut request, of, context, meta } = asking;
        let (call, mut signals) = Call::new(of, context.can_elicit());
        request.extensions_mut().insert(CallTag(Arc::new(call)));
        request.extensions_mut().insert(ResultFormat::Untyped);
        #[cfg(feature = "mcp-host-http")]
        if let Some(headers) = self.endpoint.as_ref().and_then(|e| e.headers_for(context)) {
            request.extensions_mut().insert(headers);
        }
        let mut options = PeerRequestOptions::no_options();
        if !meta.is_empty() {
            options = options.with_meta(RequestMetaObject(rmcp::model::MetaObject(meta)));
        }
        // Whom the server asks about what is certain only where one call is open.
        let one_by_one = context.can_elicit() && !self.is_stateless() && !self.is_remote();
        let _turn = if one_by_one { self.inbox.desk.turn().await } else { None };
        let sent = self.peer.send_cancellable_request(request, options).await;
        let mut handle = sent.map_err(|error| self.fault(error))?;
        let mut abandoned = Abandoned { connection: self, id: Some(handle.id.clone()) };
        let started = Instant::now();
        let (mut silent_since, mut asked, mut questions) = (started, Duration::ZERO, 0);
        let answer = loop {
            let end = (silent_since + self.timeout).min(started + self.max_timeout + asked);
            tokio::select! {
                biased;
                // What came before the answer is handed on before it.
                Some(signal) = signals.recv() => {
                    let before = Instant::now();
                    answer_signal(context, signal, &mut questions).await;
                    // The time of a person is not the server's.
                    asked += before.elapsed();
                    silent_since = Instant::now();
                }
                answer = &mut handle.rx => break answer,
                () = tokio::time::sleep_until(end) => {
                    // While somebody here answers the server, it has nothing to answer itself.
                    if self.inbox.is_answering() && asked < QUESTION {
                        asked += self.timeout;
                        silent_since = Instant::now();
                        continue;
                    }
                    let silent = silent_since + self.timeout == end;
                    let limit = if silent { self.timeout } else { self.max_timeout };
                    return Err(self.too_slow(of, limit).into());
                }
            }
        };
        if let Some(id) = abandoned.id.take() {
            self.inbox.desk.settled(&id);
        }
        let answer = answer.unwrap_or(Err(ServiceError::TransportClosed));
        answer.map_err(|error| self.fault(error))
    }

    /// Whether the session is there: asked where an answer leaves that open.
    pub(crate) async fn answers(&self) -> bool {
        if self.is_stateless() || !self.is_remote() {
            return false;
        }
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let answer = tokio::time::timeout(PING, self.ask_alone(ping, "ping")).await;
        answer.is_ok_and(|answer| answer.is_ok())
    }

    /// A request of the host's own.
    pub(crate) async fn ask_alone(
        &self,
        request: ClientRequest,
        of: &str,
    ) -> std::result::Result<ServerResult, Fault> {
        let context = Context::detached();
        self.ask(Asking { request, of, context: &context, meta: Map::new() }).await
    }

    fn too_slow(&self, of: &str, limit: Duration) -> Error {
        let server = &self.inbox.server;
        let said = format!(
            "the MCP server `{server}` did not answer `{of}` within {limit:?}: raise \
             `.timeout(..)` if it needs longer"
        );
        Error::new(ErrorKind::DeadlineExceeded, said)
    }

    pub(crate) fn fault(&self, error: ServiceError) -> Fault {
        let closed = self.peer.is_transport_closed() || self.inbox.gone().is_cancelled();
        error::of(&self.inbox, error, closed)
    }

    /// Tells the server that nobody waits for a request any more.
    fn cancel(&self, id: RequestId) {
        self.inbox.desk.settled(&id);
        let params = CancelledNotificationParam::new(Some(id), Some("no longer wanted".to_owned()));
        let (peer, told) = (self.peer.clone(), CancelledNotification::new(params));
        // Without a runtime everything ends, the server's work too.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { peer.send_notification(told.into()).await });
        }
    }
}

/// Hands on what came while the caller waits. A question that whoever called answers later never
/// comes back here: the future is dropped, and the server is told.
async fn answer_signal(context: &Context, signal: Signal, questions: &mut usize) {
    match signal {
        Signal::Progress(progress) => context.progress(progress).await,
        Signal::Asked(question, answer) => {
            // The same words asked twice are two questions.
            *questions += 1;
            let _ = answer
                .send(input_required::ask_caller(context, question, &questions.to_string()).await);
        }
    }
}

/// Cancels a request whose caller went away.
struct Abandoned<'a> {
    connection: &'a Connection,
    id: Option<RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.connection.cancel(id);
        }
    }
}
