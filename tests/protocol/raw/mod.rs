//! HTTP by hand: a test chooses the address of a client, the times of sending and reading, and the end of a connection.

mod client;
mod connection;
mod process;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

pub(crate) use client::{Client, Era, call_params, meta};
pub(crate) use connection::{Answer, Connection};
pub(crate) use process::Usage;

use crate::server::Server;

/// The time limit after which an operation counts as hanging, on a machine under load.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the address at which a server listens.
pub(crate) fn address(server: &Server) -> SocketAddr {
    let authority = server.url().trim_start_matches("http://").trim_end_matches("/mcp");
    authority.parse().expect("an address")
}

/// Returns the loopback address of a client. Each number has its own, so that all are different clients.
pub(crate) fn host(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 9, number)
}

/// Runs work that must finish within [`PATIENCE`].
#[track_caller]
pub(crate) fn within<T>(what: &str, work: impl Future<Output = T>) -> impl Future<Output = T> {
    let caller = std::panic::Location::caller();
    let work = tokio::time::timeout(PATIENCE, work);
    async move { work.await.unwrap_or_else(|_| panic!("{caller}: {what} does not finish")) }
}
