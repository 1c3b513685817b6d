//! The body of a request: bounded in size, in time, and by the room that all bodies share.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use http_body_util::BodyExt as _;

pub use super::room::BodyRoom;
use super::room::{NoRoom, RoomGuard};

/// How long the body of a request may take to arrive. Default is 30 seconds.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// How much of a body needs no room. Default is 16 KiB.
const SMALL: usize = 16 * 1024;

/// Why a body was not read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    #[error("the body did not arrive within {0:?}")]
    Slow(Duration),
    #[error("the body arrived too slowly, and others needed its room: try again later")]
    NoRoom,
    #[error("the request has more than {0} bytes")]
    Long(usize),
    #[error("the body broke off")]
    Broken,
}

impl From<NoRoom> for BodyError {
    fn from(_: NoRoom) -> Self {
        Self::NoRoom
    }
}

/// A body, with its part of the room.
#[derive(Debug)]
pub struct WholeBody {
    pub bytes: Bytes,
    #[expect(dead_code, reason = "it is given back when it is dropped")]
    room: Option<RoomGuard>,
}

/// The whole body, of at most `limit` bytes. `client` is whose it is.
pub async fn read_body<B>(
    body: B,
    limit: usize,
    room: &Arc<BodyRoom>,
    client: Option<IpAddr>,
) -> Result<WholeBody, BodyError>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    let mut reading = pin!(collect(body, limit, room, client));
    // What is there already needs no timer.
    if let Poll::Ready(read) = poll_fn(|cx| Poll::Ready(reading.as_mut().poll(cx))).await {
        return read;
    }
    let read = tokio::time::timeout(BODY_TIMEOUT, reading).await;
    read.unwrap_or(Err(BodyError::Slow(BODY_TIMEOUT)))
}

async fn collect<B>(
    mut body: B,
    limit: usize,
    room: &Arc<BodyRoom>,
    client: Option<IpAddr>,
) -> Result<WholeBody, BodyError>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyError::Long(limit));
    }
    let mut taken: Option<RoomGuard> = None;
    let mut first = Bytes::new();
    let mut rest = Vec::new();
    loop {
        let frame = match &taken {
            None => body.frame().await,
            Some(taken) => tokio::select! {
                frame = body.frame() => frame,
                () = taken.wanted() => return Err(BodyError::NoRoom),
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
                None => taken = Some(room.take(client, length).await?),
            }
        }
        match (first.is_empty(), rest.is_empty()) {
            (true, true) => first = data,
            (false, true) => {
                rest.reserve(first.len() + data.len());
                rest.extend_from_slice(&std::mem::take(&mut first));
                rest.extend_from_slice(&data);
            }
            _ => rest.extend_from_slice(&data),
        }
        // Most bodies are one piece, which is taken as it came.
        if body.is_end_stream() {
            break;
        }
    }
    let bytes = if rest.is_empty() { first } else { Bytes::from(rest) };
    Ok(WholeBody { bytes, room: taken })
}
