//! Serving: requests are answered until the server is told to stop, and what runs then may finish.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use tokio_util::sync::CancellationToken;

use super::drain::Drain;
use super::error::Error as E;
use super::without_delay::without_delay;
use crate::error::Result;

/// How long running requests may take to finish when the server stops. Default is 10 seconds.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// How long what was ended then may take to say so. Default is 1 second.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A server that listens, and what ends it.
pub(crate) struct HttpServing {
    /// What is listened on.
    pub(crate) listener: tokio::net::TcpListener,
    /// No new requests from then on.
    pub(crate) stop: CancellationToken,
    /// What is waited for then.
    pub(crate) drain: Drain,
    /// How long.
    pub(crate) grace: Duration,
    /// Cancelled once what ran is finished or overdue: this ends what has no end by itself.
    pub(crate) end: CancellationToken,
}

impl HttpServing {
    /// Serves until told to stop, then lets what runs finish.
    pub(crate) async fn run(self, app: Router) -> Result<()> {
        let Self { listener, stop, drain, grace, end } = self;
        let app = app.into_make_service_with_connect_info::<SocketAddr>();
        let serving = axum::serve(without_delay(listener), app).with_graceful_shutdown({
            let stop = stop.clone();
            async move { stop.cancelled().await }
        });
        let overdue = async {
            stop.cancelled().await;
            let deadline = tokio::time::Instant::now() + grace;
            let is_late = tokio::time::timeout_at(deadline, drain.finished()).await.is_err();
            // Not earlier: this also ends what still runs.
            end.cancel();
            if is_late {
                let _ = tokio::time::timeout(LAST_WORDS, drain.finished()).await;
            } else {
                tokio::time::sleep_until(deadline).await;
            }
        };
        tokio::select! {
            served = async { serving.await } => Ok(served.map_err(|source| E::Listener { source })?),
            () = overdue => Ok(()),
        }
    }
}
