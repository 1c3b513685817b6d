//! The MCP hosts whose servers this server fronts. Without the feature `mcp-host` there are none.

#[cfg_attr(not(feature = "host"), path = "fronted_off.rs")]
mod fronted;

use std::fmt;
use std::sync::OnceLock;

use tokio::sync::watch;

use self::fronted::{FrontedHost, count_servers, describe_problems};
use genkit_core::Registry;

/// The hosts that a server fronts.
#[derive(Clone, Default)]
pub(crate) struct FrontedHosts {
    hosts: Vec<FrontedHost>,
    /// Set when the registration starts. The value in the channel becomes true when all hosts are registered.
    registered: OnceLock<watch::Receiver<bool>>,
}

/// Prints the notices about the servers of all hosts.
impl fmt::Display for FrontedHosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hosts.iter().try_for_each(|host| f.write_str(&describe_problems(host)))
    }
}

impl FrontedHosts {
    #[cfg_attr(not(feature = "host"), expect(unused, reason = "no host exists"))]
    pub(crate) fn add_host(&mut self, host: FrontedHost) {
        self.hosts.push(host);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Counts the connected servers and the enabled servers of all hosts.
    pub(crate) fn count_servers(&self) -> (usize, usize) {
        let states = self.hosts.iter().map(count_servers);
        states.fold((0, 0), |(connected, all), (c, a)| (connected + c, all + a))
    }

    /// Returns whether all hosts are registered.
    pub(crate) fn are_registered(&self) -> bool {
        self.is_empty() || self.registered.get().is_some_and(|done| *done.borrow())
    }

    /// Waits until the items of all fronted servers are registered, or until the hosts no longer wait for slow servers.
    /// Without this wait, a client that lists only once would miss items.
    pub(crate) async fn registered_in(&self, registry: &Registry) {
        if !self.is_empty() {
            // The channel closes only if the runtime shuts down; continue with the registered actions.
            let _ = self.start_registration(registry).wait_for(|done| *done).await;
        }
    }

    /// Starts the registration if a runtime is running; otherwise the first request starts it.
    pub(crate) fn register_soon(&self, registry: &Registry) {
        if !self.is_empty() && tokio::runtime::Handle::try_current().is_ok() {
            self.start_registration(registry);
        }
    }

    /// Registers the hosts in a separate task, so that a disconnecting client does not cancel the registration.
    fn start_registration(&self, registry: &Registry) -> watch::Receiver<bool> {
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
