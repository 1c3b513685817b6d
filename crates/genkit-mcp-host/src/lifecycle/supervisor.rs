//! The supervisor of one server, which performs the actions that the state machine of its connection requests.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error::Error;
use super::handshake::{LiveConnection, open_connection};
use super::machine::{ConnectErrorKind, LinkAction, LinkEvent, LinkMachine};
use super::server::ManagedServer;
use crate::error::ServerErrorExt as _;
use crate::session::connection::Connection;
use crate::session::subscriptions;
use genkit_core::BoxFuture;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error as PublicError, ErrorKind};

/// How long closing a session may take before it is aborted.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The outcome of the current work.
enum WorkResult {
    Connected(Box<LiveConnection>),
    Refused(PublicError),
    Lost,
    Ended,
    Elapsed,
}

/// Runs until the server is closed. The task owns the connection: dropping it drops the child process.
pub(crate) async fn run_supervisor(server: Arc<ManagedServer>) {
    let _ended = server.ended.clone().drop_guard();
    let mut desired = server.desired.subscribe();
    let mut seen = *desired.borrow_and_update();
    let mut event = seen.event_after(None);
    let mut machine = LinkMachine::new(server.reconnect_policy());
    let mut live: Option<Box<LiveConnection>> = None;
    let mut work: BoxFuture<'_, WorkResult> = Box::pin(std::future::pending());
    loop {
        let action = machine.handle_event(event, Instant::now(), RandomState::new().hash_one(0));
        let mut retry_at = None;
        match action {
            LinkAction::Continue => {}
            LinkAction::Connect => work = Box::pin(connect_server(&server)),
            LinkAction::Hold => {
                work = Box::pin(watch_connection(
                    live.as_ref().map(|live| Arc::clone(&live.connection)),
                ));
            }
            LinkAction::Close => {
                work = Box::pin(close_connection(&server, live.take(), event == LinkEvent::Lost));
            }
            LinkAction::Wait(pause) => {
                let at = Instant::now() + pause;
                retry_at = Some(at);
                work = Box::pin(async move {
                    tokio::time::sleep_until(at).await;
                    WorkResult::Elapsed
                });
            }
            LinkAction::Idle | LinkAction::Fail | LinkAction::Stop => {
                if action == LinkAction::Fail {
                    let tries = machine.tries();
                    tracing::warn!(server = %server.key, tries, "giving up on an MCP server");
                }
                work = Box::pin(std::future::pending());
            }
        }
        if action != LinkAction::Continue {
            server.publish_link(&seen, |link| {
                link.state = machine.server_state();
                link.connection = live.as_ref().map(|live| Arc::clone(&live.connection));
                link.tries = machine.tries();
                link.retry_at = retry_at;
                link.attempts += u64::from(action == LinkAction::Connect);
                link.connections += u64::from(action == LinkAction::Hold);
            });
        }
        if action == LinkAction::Stop {
            return;
        }
        event = tokio::select! {
            biased;
            changed = desired.wait_for(|now| *now != seen) => match changed.map(|now| *now) {
                Ok(now) => {
                    let event = now.event_after(Some(&seen));
                    seen = now;
                    event
                }
                Err(_) => LinkEvent::Close,
            },
            done = &mut work => match done {
                WorkResult::Connected(connected) => {
                    server.note_error(None);
                    live = Some(connected);
                    LinkEvent::Connected
                }
                WorkResult::Refused(error) => {
                    let why = error.chain();
                    let error_text = Logged::text(&why);
                    tracing::warn!(server = %server.key, error = %error_text, "cannot connect to an MCP server");
                    let kind = ConnectErrorKind::for_error(&error);
                    server.note_error(Some(error));
                    LinkEvent::Refused(kind)
                }
                WorkResult::Lost => LinkEvent::Lost,
                WorkResult::Ended => LinkEvent::Ended,
                WorkResult::Elapsed => LinkEvent::Elapsed,
            },
        };
    }
}

async fn connect_server(server: &ManagedServer) -> WorkResult {
    let stop = CancellationToken::new();
    let stopping = stop.clone().drop_guard();
    match open_connection(server, &stop).await {
        Ok(live) => {
            // From here on, the connection owns the token.
            stopping.disarm();
            WorkResult::Connected(Box::new(live))
        }
        Err(error) => WorkResult::Refused(server.redact_error(error)),
    }
}

/// Watches a connection until it ends on its own.
async fn watch_connection(connection: Option<Arc<Connection>>) -> WorkResult {
    if let Some(connection) = connection {
        tokio::select! {
            () = connection.session.end_token().cancelled() => {}
            () = subscriptions::keep_subscriptions(&connection) => {}
        }
    }
    WorkResult::Lost
}

/// Closes a session gracefully, and ends its process in any case.
async fn close_connection(
    server: &ManagedServer,
    live: Option<Box<LiveConnection>>,
    was_lost: bool,
) -> WorkResult {
    let Some(live) = live else { return WorkResult::Ended };
    let LiveConnection { connection, mut task, mut child } = *live;
    let mut cause = None;
    if was_lost {
        let exit_report = match &mut child {
            Some(child) => child.exit_report().await,
            None => None,
        };
        let known = connection.session.end_cause().into_iter().chain(exit_report);
        let error = server
            .redact_error(connection_lost(&server.key, &known.collect::<Vec<_>>().join("; ")));
        let why = error.chain();
        let why = Logged::text(&why);
        tracing::warn!(server = %server.key, error = %why, "lost the connection to an MCP server");
        cause = Some(error);
    }
    server.record_end(&connection, cause);
    let _ = task.close_with_timeout(CLOSE_TIMEOUT).await;
    drop(task);
    if let Some(child) = child {
        child.shutdown().await;
    }
    WorkResult::Ended
}

fn connection_lost(server: &str, cause: &str) -> PublicError {
    match cause {
        "" => Error::Gone("the connection was closed".to_owned()).for_server(server),
        named if named.starts_with("the MCP server") => {
            PublicError::new(ErrorKind::Unavailable, named)
        }
        cause => Error::Gone(cause.to_owned()).for_server(server),
    }
}
