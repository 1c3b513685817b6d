//! Reads request bodies, limited in size, in time, and by the memory that all bodies share.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use bytes::BytesMut;
use http::{HeaderMap, HeaderValue};
use http_body_util::BodyExt as _;

pub use super::body_budget::BodyBudget;
use super::body_budget::{BudgetExceeded, BudgetGuard};

/// The time limit for receiving a request body. Default is 30 seconds.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum size of a body that does not count against the shared memory, in bytes. Default is 16 KiB.
const SMALL: usize = 16 * 1024;

/// The reason why a body was not read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    #[error("the body did not arrive within {0:?}")]
    Slow(Duration),
    #[error(
        "the body arrived too slowly and was dropped to free memory for other requests; try again later"
    )]
    BudgetExceeded,
    #[error("the request body is longer than {0} bytes")]
    Long(usize),
    #[error("the body ended unexpectedly")]
    Broken,
}

impl From<BudgetExceeded> for BodyError {
    fn from(_: BudgetExceeded) -> Self {
        Self::BudgetExceeded
    }
}

/// Replaces the header values, which are slices of the read buffer, with copies in one buffer.
pub fn copy_values(headers: &mut HeaderMap) {
    let mut bytes = BytesMut::with_capacity(headers.values().map(HeaderValue::len).sum());
    headers.values_mut().for_each(|value| bytes.extend_from_slice(value.as_bytes()));
    let mut bytes = bytes.freeze();
    for value in headers.values_mut() {
        let is_sensitive = value.is_sensitive();
        if let Ok(own) = HeaderValue::from_maybe_shared(bytes.split_to(value.len())) {
            *value = own;
            value.set_sensitive(is_sensitive);
        }
    }
}

/// A complete body, with its share of the memory.
#[derive(Debug)]
pub struct WholeBody {
    pub bytes: Bytes,
    /// Releases the memory when it is dropped.
    _room: Option<BudgetGuard>,
}

/// Reads a complete body of at most `limit` bytes. `client` is the client that sends it.
pub async fn read_body<B>(
    body: B,
    limit: usize,
    room: &Arc<BodyBudget>,
    client: Option<IpAddr>,
) -> Result<WholeBody, BodyError>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    let mut reading = pin!(collect(body, limit, room, client));
    // Poll once first: a body that has already arrived needs no timer.
    if let Poll::Ready(read) = poll_fn(|cx| Poll::Ready(reading.as_mut().poll(cx))).await {
        return read;
    }
    let read = tokio::time::timeout(BODY_TIMEOUT, reading).await;
    read.unwrap_or(Err(BodyError::Slow(BODY_TIMEOUT)))
}

async fn collect<B>(
    mut body: B,
    limit: usize,
    room: &Arc<BodyBudget>,
    client: Option<IpAddr>,
) -> Result<WholeBody, BodyError>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyError::Long(limit));
    }
    let mut taken: Option<BudgetGuard> = None;
    let mut first = Bytes::new();
    let mut rest = Vec::new();
    loop {
        let frame = match &taken {
            None => body.frame().await,
            Some(taken) => tokio::select! {
                frame = body.frame() => frame,
                () = taken.wait_for_eviction() => return Err(BodyError::BudgetExceeded),
            },
        };
        let Some(frame) = frame else { break };
        let Ok(frame) = frame else { return Err(BodyError::Broken) };
        let Ok(data) = frame.into_data() else { continue };
        let length = first.len() + rest.len() + data.len();
        if length > limit {
            return Err(BodyError::Long(limit));
        }
        if length > SMALL {
            match &mut taken {
                Some(taken) => taken.grow(length).await?,
                None => taken = Some(room.reserve(client, length).await?),
            }
        }
        match (first.is_empty(), rest.is_empty()) {
            (true, true) => first = data,
            (false, true) => {
                // Reserve all memory now: a buffer that grows is copied, and temporarily takes twice its
                // size.
                let expected = usize::try_from(body.size_hint().lower()).unwrap_or(limit);
                rest.reserve_exact((length + expected).min(limit));
                rest.extend_from_slice(&std::mem::take(&mut first));
                rest.extend_from_slice(&data);
            }
            _ => rest.extend_from_slice(&data),
        }
        // Most bodies arrive in one piece, which is returned without copying.
        if body.is_end_stream() {
            break;
        }
    }
    let bytes = if rest.is_empty() { first } else { Bytes::from(rest) };
    Ok(WholeBody { bytes, _room: taken })
}
