//! A message that is answered: what belongs to it until it is.

use std::sync::Arc;

use http::Response;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answers;
use super::sessions::SessionInUse;
use super::streams::{AnswerBody, EventStream};
use crate::engine::Reply;
use crate::session::{Handshake, Session};
use genkit_http_server::internal::RunningRequest;

/// What a message is answered with, beside the answer itself.
pub(super) struct Answering {
    /// What is said before the answer.
    pub(super) stream: Arc<EventStream>,
    pub(super) cancel: CancellationToken,
    pub(super) session: Option<SessionInUse>,
    pub(super) counts: RunningRequest,
    pub(super) is_described: bool,
    pub(super) lacks_meta: bool,
    /// When the token of the client expires.
    pub(super) expiry: Option<Instant>,
}

impl Answering {
    /// One message, and a status where it has one.
    pub(super) fn answer(&self, reply: Reply) -> Response<AnswerBody> {
        let status = answers::status(reply.error, self.is_described, self.lacks_meta);
        answers::json(status, reply.bytes)
    }
}

/// Whether sessions of this version are told where they can come back to: who speaks an older one
/// takes an event without a message for a broken one.
pub(super) fn is_primed(session: &Session) -> bool {
    match session.connection.handshake() {
        Handshake::Initialized(version) => version.as_str() >= "2025-11-25",
        _ => false,
    }
}
