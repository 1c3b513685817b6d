//! The state of a message until its response is sent.

use std::sync::Arc;

use http::Response;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::responses;
use super::sessions::SessionInUse;
use super::streams::{AnswerBody, Driver, EventStream};
use crate::engine::{Call, Reply};
use crate::quota::ClientKey;
use crate::session::{Handshake, Session};
use genkit_http_server::internal::{FairPermit, RunningRequest};

/// The state needed to send the response to a message.
pub(super) struct PendingResponse {
    /// The messages sent before the response.
    pub(super) stream: Arc<EventStream>,
    pub(super) cancel: CancellationToken,
    pub(super) session: Option<SessionInUse>,
    pub(super) counts: RunningRequest,
    /// Whether the client accepts a stream of events. Otherwise, it only receives the response.
    pub(super) accepts_events: bool,
    pub(super) is_described: bool,
    pub(super) lacks_meta: bool,
    /// The expiry of the client's token.
    pub(super) expiry: Option<Instant>,
    /// Counts the memory of the request until its function has ended.
    pub(super) _memory: FairPermit<ClientKey>,
}

impl PendingResponse {
    /// Returns a response with one message. The status code depends on the error.
    pub(super) fn response_to(&self, reply: Reply) -> Response<AnswerBody> {
        let status = responses::status_for(reply.error, self.is_described, self.lacks_meta);
        responses::json_response(status, reply.bytes)
    }
}

/// Returns whether streams of this protocol version start with an event id. Clients of older
/// versions treat an event without a message as an error.
pub(super) fn is_primed(session: &Session) -> bool {
    match session.connection.handshake() {
        Handshake::Initialized(version) => version.as_str() >= "2025-11-25",
        _ => false,
    }
}

/// Drives the call to completion and finishes its stream.
pub(super) fn drive_call(call: Call, answering: PendingResponse) -> Driver {
    Box::pin(async move {
        // Move the whole value here, so that the session stays in use and the shutdown waits until
        // the call ends.
        let answering = answering;
        let reply = call.await;
        answering.stream.finish_stream(reply.as_ref().map(|reply| &reply.bytes));
    })
}
