//! Keeps one server connected, as long as that is wanted.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::handshake::{CLOSE, Live, open};
use super::server::{Link, Server, Want, Wish};
use crate::error::{Error, ErrorKind, Result};
use crate::mcp::host::limits::{AT_ONCE, FIRST_WAIT, GOOD, LONGEST_WAIT};
use crate::mcp::host::session::subscriptions;
use crate::mcp::host::transport::stdio::child::Child;

/// Runs until the server is closed. The task owns the connection: when it is dropped, so is the
/// child process.
pub(crate) async fn run(server: Arc<Server>) {
    let _ended = server.ended.clone().drop_guard();
    let mut wishes = server.wish.subscribe();
    let (mut tries, mut was_there) = (0, false);
    loop {
        let wish = *wishes.borrow_and_update();
        match wish.want {
            Want::Closed => return server.set(Link::Closed),
            Want::Down => {
                server.set(Link::Disabled);
                if wishes.changed().await.is_err() {
                    return;
                }
                tries = 0;
                continue;
            }
            Want::Up => {}
        }
        server.set(Link::Connecting);
        let stop = CancellationToken::new();
        let error = match connect(&server, &mut wishes, &stop, wish).await {
            None => continue,
            Some(Ok(live)) => {
                was_there = true;
                let since = Instant::now();
                let died = hold(&server, &mut wishes, live, wish).await;
                if since.elapsed() >= GOOD {
                    tries = 0;
                }
                match died {
                    None => continue,
                    // A server that was there is most likely there again at once.
                    Some(error) if tries < AT_ONCE => {
                        tracing::warn!(server = %server.key, error = error.chain(), "starts anew");
                        tries += 1;
                        continue;
                    }
                    Some(error) => error,
                }
            }
            Some(Err(error)) => error,
        };
        let hopeless = is_hopeless(&error, was_there);
        tracing::warn!(server = %server.key, error = error.chain(), "an MCP server is not there");
        server.note_error(Some(error));
        if hopeless {
            server.set(Link::Failed);
            wait(&mut wishes, wish, None).await;
            continue;
        }
        tries += 1;
        let pause = pause(tries);
        let next = Instant::now() + pause;
        server.set(Link::Waiting(tries, next));
        wait(&mut wishes, wish, Some(next)).await;
    }
}

/// Whether trying again would not help: a person said no, or what was configured never worked. What
/// did work will most likely work again.
fn is_hopeless(error: &Error, was_there: bool) -> bool {
    let refused = matches!(error.kind(), ErrorKind::Unauthenticated | ErrorKind::PermissionDenied);
    let wrong = matches!(
        error.kind(),
        ErrorKind::InvalidArgument
            | ErrorKind::NotFound
            | ErrorKind::FailedPrecondition
            | ErrorKind::Unimplemented
    );
    error.is_fatal() || refused || (wrong && !was_there)
}

/// How long to wait after so many failures.
fn pause(tries: u32) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1 << tries.saturating_sub(1).min(16));
    // Programs that share a server do not come back all at once.
    let jitter = Duration::from_millis(u64::from(std::process::id()) * 7 % 250);
    doubled.min(LONGEST_WAIT) + jitter
}

/// Waits until `next`, or until something else is wished for.
async fn wait(wishes: &mut watch::Receiver<Wish>, wish: Wish, next: Option<Instant>) {
    // A failure that trying does not mend is not tried for a call's sake.
    let other = |now: &Wish| match next {
        Some(_) => *now != wish,
        None => (now.want, now.resets) != (wish.want, wish.resets),
    };
    let wished = wishes.wait_for(other);
    match next {
        Some(next) => tokio::select! {
            _ = wished => {}
            () = tokio::time::sleep_until(next) => {}
        },
        None => drop(wished.await),
    }
}

/// `None` if something else is wished for meanwhile.
async fn connect(
    server: &Server,
    wishes: &mut watch::Receiver<Wish>,
    stop: &CancellationToken,
    wish: Wish,
) -> Option<Result<Live>> {
    let _stop = stop.clone().drop_guard();
    tokio::select! {
        _ = wishes.wait_for(|now| (now.want, now.resets) != (wish.want, wish.resets)) => None,
        opened = open(server, stop) => {
            if opened.is_ok() {
                // It is the connection's own from here on.
                _stop.disarm();
            }
            Some(opened)
        }
    }
}

/// Holds a connection until it ends, and says why; `None` if that was wished for.
async fn hold(
    server: &Arc<Server>,
    wishes: &mut watch::Receiver<Wish>,
    live: Live,
    wish: Wish,
) -> Option<Error> {
    let Live { connection, running, mut child } = live;
    server.note_error(None);
    server.set(Link::Up(Arc::clone(&connection)));
    let gone = connection.inbox.gone().clone();
    let listening = subscriptions::run(Arc::clone(server), Arc::clone(&connection));
    let died = tokio::select! {
        () = gone.cancelled() => true,
        () = listening => true,
        _ = wishes.wait_for(|now| (now.want, now.resets) != (wish.want, wish.resets)) => false,
    };
    let mut why = None;
    if died {
        let words = match &mut child {
            Some(child) => child.last_words().await,
            None => None,
        };
        let known: Vec<String> = connection.inbox.fault().into_iter().chain(words).collect();
        let said = match known.is_empty() {
            true => "the connection was closed".to_owned(),
            false => known.join("; "),
        };
        let said = match said.starts_with("the MCP server") {
            true => said,
            false => format!("the MCP server `{}` is gone: {said}", server.key),
        };
        server.bury(&connection, Error::new(ErrorKind::Unavailable, said.clone()));
        why = Some(Error::new(ErrorKind::Unavailable, said));
        server.set(Link::Connecting);
    } else {
        server.bury_quietly(&connection);
    }
    close(running, child).await;
    why
}

/// Ends a session in good form, and its process in any case.
async fn close(mut running: crate::mcp::host::session::connection::Running, child: Option<Child>) {
    let _ = running.close_with_timeout(CLOSE).await;
    drop(running);
    if let Some(child) = child {
        child.end().await;
    }
}
