//! Resuming without the feature `durable`: streams are not stored.

use std::sync::Arc;

use http::Response;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::engine::Call;
use crate::http::endpoint::EndpointState;
use crate::http::pending_response::PendingResponse;
use crate::http::rejection::HttpRejection;
use crate::http::responses;
use crate::http::session_store::SessionStore;
use crate::http::sessions::SessionInUse;
use crate::http::streams::{AnswerBody, EventId};

impl EndpointState {
    /// Reports that the stream is unknown to this instance.
    #[expect(clippy::unused_async, reason = "has the signature of the method with the feature")]
    pub(in crate::http) async fn resume(
        &self,
        _: SessionInUse,
        _: EventId,
        _: Option<Instant>,
    ) -> Result<Response<AnswerBody>, HttpRejection> {
        Ok(responses::empty_event_stream())
    }
}

/// Returns the call, because its stream cannot be stored.
pub(in crate::http) async fn answer_stored(
    call: Call,
    answering: PendingResponse,
    _: Option<&Arc<dyn SessionStore>>,
    _: u64,
    _: &CancellationToken,
) -> Result<Response<AnswerBody>, (Call, PendingResponse)> {
    Err((call, answering))
}
