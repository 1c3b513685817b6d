//! Resuming without the feature `durable`: streams are not stored.

use std::sync::Arc;

use http::Response;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answers;
use super::endpoint::EndpointState;
use super::pending_response::PendingResponse;
use super::rejection::HttpRejection;
use super::sessions::SessionInUse;
use super::streams::{AnswerBody, EventId};
use crate::engine::Call;
use crate::session_store::SessionStore;

impl EndpointState {
    /// Reports that the stream is unknown to this instance.
    #[expect(clippy::unused_async, reason = "has the signature of the method with the feature")]
    pub(super) async fn resume(
        &self,
        _: SessionInUse,
        _: EventId,
        _: Option<Instant>,
    ) -> Result<Response<AnswerBody>, HttpRejection> {
        Ok(answers::no_events())
    }
}

/// Returns the call, because its stream cannot be stored.
#[expect(clippy::unused_async, reason = "has the signature of the function with the feature")]
pub(super) async fn answer_stored(
    call: Call,
    answering: PendingResponse,
    _: Option<&Arc<dyn SessionStore>>,
    _: u64,
    _: &CancellationToken,
) -> Result<Response<AnswerBody>, (Call, PendingResponse)> {
    Err((call, answering))
}
