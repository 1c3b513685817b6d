//! Serving: requests are answered until the server is told to stop, and what runs then may finish.

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
    Connection, ConnectionIo, ConnectionTable, OpenConnection, RequestAtWork,
};
use super::drain::Drain;
use super::listening::BoundListener;
use super::stream::{Acceptor, HttpStream};
use super::until_sent::UntilSent;
use genkit_core::Result;

/// How long running requests may take to finish when the server stops. Default is 10 seconds.
pub const GRACE: Duration = Duration::from_secs(10);

/// How long what was ended then may take to say so. Default is 1 second.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How large the head of a request may be, in bytes. Default is 64 KiB.
const MAX_HEAD: usize = 64 * 1024;

/// How long nothing is accepted where it fails for want of files. Default is 20 milliseconds.
const SHORT_OF_FILES: Duration = Duration::from_millis(20);

/// How long nothing is accepted where it fails otherwise. Default is 1 second.
const ACCEPT_FAILED: Duration = Duration::from_secs(1);

/// A server that listens, and what ends it.
pub struct HttpServing {
    /// What is listened on.
    pub listener: BoundListener,
    /// What a connection goes through first.
    pub acceptor: Option<Acceptor>,
    /// No new requests from then on.
    pub stop: CancellationToken,
    /// What is waited for then.
    pub drain: Drain,
    /// How long.
    pub grace: Duration,
    /// Cancelled once what ran is finished or overdue: this ends what has no end by itself.
    pub end: CancellationToken,
}

/// What answers the requests of all connections.
pub trait HttpApp: Clone + Send + Sync + 'static {
    /// What an answer is made of.
    type Body: hyper::body::Body<Data: Send, Error: std::error::Error + Send + Sync>
        + Unpin
        + Send
        + 'static;

    /// What is known of who is connected.
    type Client: Send + Sync;

    /// Meets who is connected.
    fn meet(&self, address: SocketAddr) -> Self::Client;

    /// Answers a request.
    fn answer(
        &self,
        request: Request<Incoming>,
        from: Peer<'_, Self::Client>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

/// The other side of a connection.
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
        // Its handlers read bodies as they like.
        from.connection.answering();
        request.extensions_mut().insert(ConnectInfo(from.address));
        let answered = TowerToHyperService::new(self.clone()).call(request).await;
        answered.unwrap_or_else(|never| match never {})
    }
}

impl HttpServing {
    /// Serves until told to stop, then lets what runs finish.
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
                    let counted = open.begin();
                    let (app, stop) = (app.clone(), stop.child_token());
                    let acceptor = acceptor.clone();
                    let task = tokio::spawn(async move {
                        let _counted = counted;
                        // The table ends it where that takes too long.
                        let stream = match acceptor {
                            None => stream,
                            Some(accept) => match accept(stream).await {
                                Ok(stream) => stream,
                                Err(error) => {
                                    let error = error.to_string();
                                    return tracing::debug!(%address, ?error, "not accepted");
                                }
                            },
                        };
                        serve_connection(stream, address, place, app, stop).await;
                    });
                    connection.runs_in(task.abort_handle());
                }
                Err(error) => pause_after(&error, &table).await,
            }
        }
        drop(listener);
        table.end_silent();
        let deadline = tokio::time::Instant::now() + grace;
        let overdue = async {
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
            () = open.finished() => {}
            () = overdue => table.end_all(),
        }
        Ok(())
    }
}

/// Answers what comes over one connection, until it ends or, once told to stop, has nothing open.
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
        let (app, at_work) = (&app, RequestAtWork(Arc::clone(connection)));
        async move {
            let answer = app.answer(request, Peer { address, client, connection }).await;
            connection.answering();
            Ok::<_, Infallible>(answer.map(|body| UntilSent::new(body, at_work)))
        }
    });
    let serving = http1::Builder::new()
        // The table ends what is slow, with one clock for all connections.
        .header_read_timeout(None)
        .max_buf_size(MAX_HEAD)
        .serve_connection(io, answer);
    let (mut serving, mut stopped) = (pin!(serving), pin!(stop.cancelled()));
    let mut is_stopping = false;
    let mut is_watched = false;
    let served = poll_fn(|cx| {
        // Its waker is that of this task, which stays the same: it is asked again only when it has
        // something to say.
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

/// Waits after a connection could not be accepted, so that it is not tried again at once.
async fn pause_after(error: &io::Error, table: &ConnectionTable) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        return;
    }
    if is_short_of_files(error) {
        table.make_room();
        tokio::time::sleep(SHORT_OF_FILES).await;
        return;
    }
    tracing::error!(%error, "no connection can be accepted: trying again");
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
