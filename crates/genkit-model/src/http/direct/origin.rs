//! A server with the idle connections of one runtime.

use std::sync::{Arc, Mutex};

use http::Uri;
use rustls::ClientConfig;
use tokio::time::Instant;

use super::connect::ModelConnector;
use super::link::Link;
use genkit_core::internal::error::BoxError;
use genkit_core::internal::sync::lock;
use genkit_http_client::internal::net::pool::POOL_IDLE;

/// The maximum number of idle connections to one server. Default is 256; the connection that has been
/// idle longest is closed first.
pub(super) const MAX_IDLE: usize = 256;

pub(crate) struct Origin {
    /// The scheme, host and port.
    uri: Uri,
    connector: ModelConnector,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    /// The connections, with the most recently used one last.
    links: Vec<(Instant, Box<Link>)>,
    /// Whether a task is closing connections that have been idle too long.
    is_swept: bool,
}

impl Origin {
    pub(super) fn new(uri: Uri, tls: Option<Arc<ClientConfig>>) -> Self {
        Self { uri, connector: ModelConnector::new(tls), idle: Mutex::default() }
    }

    pub(super) async fn open_link(&self) -> Result<Box<Link>, BoxError> {
        Link::over_stream(self.connector.connect_to(self.uri.clone()).await?).await
    }

    /// Takes the connection that was used last. If the server has closed it in the meantime, the call detects this
    /// before it sends anything, and uses another connection.
    pub(super) fn take_idle(&self) -> Option<Box<Link>> {
        loop {
            let (since, link) = lock(&self.idle).links.pop()?;
            if since.elapsed() < POOL_IDLE && link.is_ready() {
                return Some(link);
            }
        }
    }

    /// Returns an idle connection to the pool.
    pub(super) fn put_idle(self: &Arc<Self>, link: Box<Link>) {
        let mut idle = lock(&self.idle);
        idle.links.push((Instant::now(), link));
        let oldest = (idle.links.len() > MAX_IDLE).then(|| idle.links.remove(0));
        let is_swept = std::mem::replace(&mut idle.is_swept, true);
        drop(idle);
        drop(oldest);
        if !is_swept {
            tokio::spawn(Sweeper(Arc::clone(self)).sweep_idle());
        }
    }

    #[cfg(test)]
    pub(super) fn idle_count(&self) -> usize {
        lock(&self.idle).links.len()
    }
}

/// The task that closes connections that have been idle too long, and all connections when the runtime ends.
struct Sweeper(Arc<Origin>);

impl Sweeper {
    async fn sweep_idle(self) {
        while let Some(next) = self.close_old() {
            tokio::time::sleep_until(next).await;
        }
    }

    /// Closes connections that have been idle too long. Returns the time of the next check, if any idle connections
    /// remain.
    fn close_old(&self) -> Option<Instant> {
        let mut idle = lock(&self.0.idle);
        let is_old = |(since, _): &(Instant, _)| since.elapsed() >= POOL_IDLE;
        let old = idle.links.iter().take_while(|link| is_old(link)).count();
        let old: Vec<_> = idle.links.drain(..old).collect();
        let next = idle.links.first().map(|(since, _)| *since + POOL_IDLE);
        // If no idle connections remain, the next idle connection starts another task.
        idle.is_swept = next.is_some();
        drop(idle);
        drop(old);
        next
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        let mut idle = lock(&self.0.idle);
        // After a normal end of the task, `is_swept` is false. Otherwise the runtime has ended.
        if std::mem::take(&mut idle.is_swept) {
            let left = std::mem::take(&mut idle.links);
            drop(idle);
            drop(left);
        }
    }
}
