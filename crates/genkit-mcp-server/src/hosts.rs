//! Hosts whose servers this one fronts; without the feature `mcp-host` there are none.

use std::sync::OnceLock;

use tokio::sync::watch;

use genkit_core::Registry;
#[cfg(feature = "host")]
use genkit_mcp_host::McpHost as FrontedHost;

/// The hosts of a server.
#[derive(Default)]
pub(crate) struct FrontedHosts {
    hosts: Vec<FrontedHost>,
    /// Whether all of them are registered, since the first who asked.
    registered: OnceLock<watch::Receiver<bool>>,
}

/// No host can be made.
#[cfg(not(feature = "host"))]
#[derive(Clone)]
enum FrontedHost {}

#[cfg(not(feature = "host"))]
impl FrontedHost {
    async fn register_in(&self, _: &Registry) {
        match *self {}
    }
}

#[cfg(all(feature = "http", not(feature = "host")))]
fn servers_of(host: &FrontedHost) -> (usize, usize) {
    match *host {}
}

/// How many servers of a host are connected, of those that are not disabled.
#[cfg(all(feature = "http", feature = "host"))]
fn servers_of(host: &FrontedHost) -> (usize, usize) {
    use genkit_mcp_host::ServerState;

    let mut states: Vec<ServerState> = host.status().iter().map(|server| server.state).collect();
    states.retain(|state| *state != ServerState::Disabled);
    let connected = states.iter().filter(|state| **state == ServerState::Connected).count();
    (connected, states.len())
}

impl FrontedHosts {
    #[cfg(feature = "host")]
    pub(crate) fn push(&mut self, host: FrontedHost) {
        self.hosts.push(host);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// How many servers are connected, of those that should be.
    #[cfg(feature = "http")]
    pub(crate) fn servers(&self) -> (usize, usize) {
        let states = self.hosts.iter().map(servers_of);
        states.fold((0, 0), |(connected, all), (c, a)| (connected + c, all + a))
    }

    /// Whether there is nothing to wait for.
    pub(crate) fn are_registered(&self) -> bool {
        self.is_empty() || self.registered.get().is_some_and(|done| *done.borrow())
    }

    /// Waits until what their servers have is registered, as far as it comes in time: many clients
    /// list once what there is.
    pub(crate) async fn registered_in(&self, registry: &Registry) {
        if !self.is_empty() {
            // An error is the end of the runtime that registers: what is there is there.
            let _ = self.registering(registry).wait_for(|done| *done).await;
        }
    }

    /// Begins it where there is a runtime already; else the first request does. Serving stdio alone waits for one.
    #[cfg(any(feature = "http", feature = "testing", feature = "host", feature = "cli"))]
    pub(crate) fn register_soon(&self, registry: &Registry) {
        if !self.is_empty() && tokio::runtime::Handle::try_current().is_ok() {
            self.registering(registry);
        }
    }

    /// A task of its own: a client that goes away must not end it.
    fn registering(&self, registry: &Registry) -> watch::Receiver<bool> {
        let begin = || {
            let (done, registered) = watch::channel(false);
            let (hosts, registry) = (self.hosts.clone(), registry.clone());
            tokio::spawn(async move {
                for host in hosts {
                    host.register_in(&registry).await;
                }
                let _ = done.send(true);
            });
            registered
        };
        self.registered.get_or_init(begin).clone()
    }
}
