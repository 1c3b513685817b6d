//! One server as one runtime reaches it, with its idle connections.

use std::sync::{Arc, Mutex};

use http::Uri;
use rustls::ClientConfig;
use tokio::time::Instant;

use super::connect::ModelConnector;
use super::link::Link;
use genkit_core::internal::error::BoxError;
use genkit_core::internal::sync::lock;
use genkit_http_client::internal::net::pool::POOL_IDLE;

/// How many idle connections to one server stay open. Default is 256; the one that is idle for longest is closed.
pub(super) const MAX_IDLE: usize = 256;

pub(crate) struct Origin {
    /// Its scheme, host and port.
    uri: Uri,
    connector: ModelConnector,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    /// The last one is the youngest.
    links: Vec<(Instant, Box<Link>)>,
    /// Whether a task closes those that are idle for too long.
    is_swept: bool,
}

impl Origin {
    pub(super) fn new(uri: Uri, tls: Option<Arc<ClientConfig>>) -> Self {
        Self { uri, connector: ModelConnector::new(tls), idle: Mutex::default() }
    }

    pub(super) async fn connect(&self) -> Result<Box<Link>, BoxError> {
        Link::over(self.connector.connect(self.uri.clone()).await?).await
    }

    /// The connection that was used last. The server may have closed it since: that is read before anything is sent, and
    /// the call goes over another one.
    pub(super) fn take(&self) -> Option<Box<Link>> {
        loop {
            let (since, link) = lock(&self.idle).links.pop()?;
            if since.elapsed() < POOL_IDLE && link.is_ready() {
                return Some(link);
            }
        }
    }

    /// Keeps an idle connection for the next call.
    pub(super) fn put(self: &Arc<Self>, link: Box<Link>) {
        let mut idle = lock(&self.idle);
        idle.links.push((Instant::now(), link));
        let oldest = (idle.links.len() > MAX_IDLE).then(|| idle.links.remove(0));
        let is_swept = std::mem::replace(&mut idle.is_swept, true);
        drop(idle);
        drop(oldest);
        if !is_swept {
            tokio::spawn(Sweeper(Arc::clone(self)).sweep());
        }
    }

    #[cfg(test)]
    pub(super) fn idle(&self) -> usize {
        lock(&self.idle).links.len()
    }
}

/// Closes connections that are idle for too long, and all of them when the runtime ends.
struct Sweeper(Arc<Origin>);

impl Sweeper {
    async fn sweep(self) {
        while let Some(next) = self.close_old() {
            tokio::time::sleep_until(next).await;
        }
    }

    /// Closes what is idle for too long; when to look again, if anything is left.
    fn close_old(&self) -> Option<Instant> {
        let mut idle = lock(&self.0.idle);
        let is_old = |(since, _): &(Instant, _)| since.elapsed() >= POOL_IDLE;
        let old = idle.links.iter().take_while(|link| is_old(link)).count();
        let old: Vec<_> = idle.links.drain(..old).collect();
        let next = idle.links.first().map(|(since, _)| *since + POOL_IDLE);
        // Another one is begun with the next connection.
        idle.is_swept = next.is_some();
        drop(idle);
        drop(old);
        next
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        let mut idle = lock(&self.0.idle);
        // Else it ended by itself, and another one may be at work.
        if std::mem::take(&mut idle.is_swept) {
            let left = std::mem::take(&mut idle.links);
            drop(idle);
            drop(left);
        }
    }
}
