//! HTTP by hand: where a request comes from, when it is sent and read, and how it ends.

mod client;
mod connection;
mod process;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

pub(crate) use client::{Client, Era, call_params, meta};
pub(crate) use connection::{Answer, Connection};
pub(crate) use process::Usage;

use crate::server::Server;

/// How long anything may take before it counts as hanging, on a machine under load.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Where a server listens.
pub(crate) fn address(server: &Server) -> SocketAddr {
    let authority = server.url().trim_start_matches("http://").trim_end_matches("/mcp");
    authority.parse().expect("an address")
}

/// The loopback address of a client: each number has its own, so that no two are one client.
pub(crate) fn host(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 9, number)
}

/// Work that ends.
#[track_caller]
pub(crate) fn within<T>(what: &str, work: impl Future<Output = T>) -> impl Future<Output = T> {
    let caller = std::panic::Location::caller();
    let work = tokio::time::timeout(PATIENCE, work);
    async move { work.await.unwrap_or_else(|_| panic!("{caller}: {what} takes for ever")) }
}
