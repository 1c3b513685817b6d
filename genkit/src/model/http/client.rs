//! The HTTP clients of the program: one pool of connections for each runtime.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use tokio::runtime::{Handle, Id};

use crate::error::{Error, ErrorKind, Result};
use crate::net::{USER_AGENT, install_crypto, is_loopback};
use crate::sync::lock;

/// How long a connection may take to be made. Default is 10 seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an idle connection is kept. Default is 50 seconds, below what most servers allow.
const POOL_IDLE: Duration = Duration::from_secs(50);

/// How often a silent connection is asked whether it lives. Default is 60 seconds.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// For how many runtimes clients are kept. Default is 16; the oldest goes first, and what it has
/// under way goes on.
const MAX_RUNTIMES: usize = 16;

/// Which client an address needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    /// Certificates are loaded, which takes time, only where they are needed.
    tls: bool,
    /// This machine is never reached through a proxy.
    local: bool,
}

impl Route {
    pub(super) fn to(url: &Url) -> Self {
        Self { tls: url.scheme() == "https", local: is_loopback(url) }
    }
}

type Shelf = Vec<((Id, Route), Client)>;

/// Connections belong to the runtime that opened them: one whose runtime does not run now would
/// never answer, so that runtimes do not share them.
static CLIENTS: Mutex<Shelf> = Mutex::new(Vec::new());

static FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// No model call of this process leaves this machine from now on.
pub(crate) fn forbid_network() {
    FORBIDDEN.store(true, Ordering::Relaxed);
}

/// The client for `route` in the current runtime.
pub(super) fn client(route: Route) -> Result<Client> {
    let key = (Handle::current().id(), route);
    let mut shelf = lock(&CLIENTS);
    if let Some((_, client)) = shelf.iter().find(|(known, _)| *known == key) {
        return Ok(client.clone());
    }
    let client = build(route)?;
    if shelf.len() >= MAX_RUNTIMES {
        shelf.remove(0);
    }
    shelf.push((key, client.clone()));
    Ok(client)
}

fn build(route: Route) -> Result<Client> {
    install_crypto();
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE)
        .tcp_keepalive(KEEPALIVE)
        .tcp_nodelay(true)
        // A key must not travel to where a server points.
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false);
    if !route.tls {
        builder = builder.tls_certs_only([]);
    }
    if route.local {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| {
        let text = format!("cannot set up HTTP: {}", super::failure::deepest(&error));
        Error::new(ErrorKind::FailedPrecondition, text)
    })
}

/// Refuses an address outside of this machine where a test said so.
pub(super) fn may_reach(url: &Url, host: &str) -> Result<()> {
    if !FORBIDDEN.load(Ordering::Relaxed) || is_loopback(url) {
        return Ok(());
    }
    let text = format!(
        "a test forbade the network, and {host} is not on this machine: \
         replay a cassette or use a model of your own"
    );
    Err(Error::new(ErrorKind::FailedPrecondition, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_do_not_share_clients_and_old_ones_go() {
        let route = Route::to(&"http://127.0.0.1".parse().unwrap());
        for _ in 0..=MAX_RUNTIMES {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.unwrap();
            let id = runtime.handle().id();
            runtime.block_on(async {
                client(route).unwrap();
                client(route).unwrap();
            });
            let shelf = CLIENTS.lock().unwrap();
            assert_eq!(shelf.iter().filter(|((known, _), _)| *known == id).count(), 1);
            assert!(shelf.len() <= MAX_RUNTIMES);
        }
    }
}
