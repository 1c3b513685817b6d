//! Serving: handles requests until shutdown, and then lets running requests finish.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::connections::{
    Connection, ConnectionIo, ConnectionTable, OpenConnection, RequestInProgress,
};
use super::drain::Drain;
use super::listening::BoundListener;
use super::listening::stream::{Acceptor, HttpStream};
use super::until_sent::UntilSent;
use genkit_core::Result;

/// The time that running requests have to finish during shutdown. Default is 10 seconds.
pub const GRACE: Duration = Duration::from_secs(10);

/// The time that cancelled requests have to send their last message. Default is 1 second.
const CANCEL_GRACE: Duration = Duration::from_secs(1);

/// The maximum size of a request head, in bytes. Default is 64 KiB.
const MAX_HEAD: usize = 64 * 1024;

/// The pause after a connection could not be accepted for lack of file descriptors. Default is 20
/// milliseconds.
const DESCRIPTORS_PAUSE: Duration = Duration::from_millis(20);

/// The pause after a connection could not be accepted for another reason. Default is 1 second.
const ACCEPT_FAILED: Duration = Duration::from_secs(1);

/// The listener of a server, and the controls of its shutdown.
pub struct HttpServing {
    /// The listener.
    pub listener: BoundListener,
    /// Wraps each new connection.
    pub acceptor: Option<Acceptor>,
    /// Cancelled to stop accepting requests.
    pub stop: CancellationToken,
    /// The requests to wait for after `stop`.
    pub drain: Drain,
    /// The maximum time to wait for running requests after `stop`.
    pub grace: Duration,
    /// Cancelled when the running requests have finished or are overdue, to end streams that never end on
    /// their own.
    pub end: CancellationToken,
}

/// The application that handles the requests of all connections.
pub trait HttpApp: Clone + Send + Sync + 'static {
    /// The body of a response.
    type Body: hyper::body::Body<Data: Send, Error: std::error::Error + Send + Sync>
        + Unpin
        + Send
        + 'static;

    /// The data that the application stores about the client of a connection.
    type Client: Send + Sync;

    /// Identifies the client of a new connection.
    fn meet(&self, address: SocketAddr) -> Self::Client;

    /// Handles a request.
    fn answer(
        &self,
        request: Request<Incoming>,
        from: Peer<'_, Self::Client>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

/// The client of a connection.
pub struct Peer<'a, C> {
    pub address: SocketAddr,
    pub client: &'a C,
    pub connection: &'a Connection,
}

impl HttpApp for Router {
    type Body = axum::body::Body;
    type Client = ();

    fn meet(&self, _: SocketAddr) {}

    async fn answer(
        &self,
        mut request: Request<Incoming>,
        from: Peer<'_, ()>,
    ) -> Response<Self::Body> {
        // The handlers of the router read bodies themselves.
        from.connection.record_request();
        request.extensions_mut().insert(ConnectInfo(from.address));
        let answered = TowerToHyperService::new(self.clone()).call(request).await;
        answered.unwrap_or_else(|never| match never {})
    }
}

impl HttpServing {
    /// Serves until `stop` is cancelled, then lets running requests finish.
    pub async fn run(self, app: impl HttpApp) -> Result<()> {
        let Self { listener, acceptor, stop, drain, grace, end } = self;
        let (table, open) = (ConnectionTable::new(), Drain::default());
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                _ = seconds.tick() => {
                    table.tick();
                    continue;
                }
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, address)) => {
                    let Some(place) = table.admit(address.ip()) else { continue };
                    let connection = Arc::clone(&place.connection);
                    let counted = open.count_request();
                    let (app, stop) = (app.clone(), stop.child_token());
                    let acceptor = acceptor.clone();
                    let task = tokio::spawn(async move {
                        let _counted = counted;
                        // The table aborts this task if it takes too long.
                        let stream = match acceptor {
                            None => stream,
                            Some(accept) => match accept(stream).await {
                                Ok(stream) => stream,
                                Err(error) => {
                                    let error = error.to_string();
                                    return tracing::debug!(%address, ?error, "failed to accept a connection");
                                }
                            },
                        };
                        serve_connection(stream, address, place, app, stop).await;
                    });
                    connection.set_task(task.abort_handle());
                }
                Err(error) => pause_after(&error, &table).await,
            }
        }
        drop(listener);
        table.close_silent();
        let deadline = tokio::time::Instant::now() + grace;
        let overdue = async {
            let is_late = tokio::time::timeout_at(deadline, drain.finished()).await.is_err();
            // Do not cancel earlier, because this also cancels requests that are still running.
            end.cancel();
            if is_late {
                let _ = tokio::time::timeout(CANCEL_GRACE, drain.finished()).await;
            } else {
                tokio::time::sleep_until(deadline).await;
            }
        };
        tokio::select! {
            () = open.finished() => {}
            () = overdue => table.close_all(),
        }
        Ok(())
    }
}

/// Handles the requests of one connection until it ends or, during shutdown, until it has no open requests.
async fn serve_connection(
    stream: HttpStream,
    address: SocketAddr,
    place: OpenConnection,
    app: impl HttpApp,
    stop: CancellationToken,
) {
    let (connection, client) = (&place.connection, &app.meet(address));
    let io = TokioIo::new(ConnectionIo::new(stream, Arc::clone(connection)));
    let answer = service_fn(|request| {
        connection.requested();
        let (app, at_work) = (&app, RequestInProgress(Arc::clone(connection)));
        async move {
            let answer = app.answer(request, Peer { address, client, connection }).await;
            connection.record_request();
            Ok::<_, Infallible>(answer.map(|body| UntilSent::new(body, at_work)))
        }
    });
    let serving = http1::Builder::new()
        // The table closes slow connections, with one clock for all of them.
        .header_read_timeout(None)
        .max_buf_size(MAX_HEAD)
        .serve_connection(io, answer);
    let (mut serving, mut stopped) = (pin!(serving), pin!(stop.cancelled()));
    let mut is_stopping = false;
    let mut is_watched = false;
    let served = poll_fn(|cx| {
        // The waker of this task does not change, so `stopped` is polled again only after it was cancelled.
        if !is_stopping && (!is_watched || stop.is_cancelled()) {
            is_watched = true;
            if stopped.as_mut().poll(cx).is_ready() {
                is_stopping = true;
                serving.as_mut().graceful_shutdown();
            }
        }
        serving.as_mut().poll(cx)
    });
    if let Err(error) = served.await {
        tracing::debug!(%address, error = ?error.to_string(), "a connection ended early");
    }
}

/// Pauses after a connection could not be accepted, to avoid a busy loop.
async fn pause_after(error: &io::Error, table: &ConnectionTable) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        return;
    }
    if is_short_of_files(error) {
        table.make_room();
        tokio::time::sleep(DESCRIPTORS_PAUSE).await;
        return;
    }
    tracing::error!(%error, "cannot accept connections; retrying");
    tokio::time::sleep(ACCEPT_FAILED).await;
}

fn is_short_of_files(error: &io::Error) -> bool {
    #[cfg(unix)]
    return [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}
