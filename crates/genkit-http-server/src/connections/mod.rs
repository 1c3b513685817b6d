//! The table of open connections, which limits their number and closes them. Uses a clock of whole seconds and does no
//! I/O.

mod connection;
mod framing;
mod io;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

pub use self::connection::Connection;
pub(super) use self::connection::RequestInProgress;
pub(super) use self::io::ConnectionIo;
use genkit_core::internal::sync::lock;

/// The maximum number of connections. Default is 10,000, or three quarters of the file descriptors that the process
/// can open if that is less.
const MAX_CONNECTIONS: usize = 10_000;

/// The divisor for the number of silent connections closed at the same time to make room: at most the connection limit
/// divided by this.
const EVICTION_DIVISOR: usize = 64;

/// All connections of a server.
pub(crate) struct ConnectionTable {
    clock: Arc<AtomicU32>,
    limit: usize,
    of_each_client: usize,
    open: Mutex<OpenConnections>,
}

#[derive(Default)]
struct OpenConnections {
    next: u64,
    connections: HashMap<u64, Arc<Connection>>,
    of_clients: HashMap<IpAddr, usize>,
}

/// A connection in the table; removed on drop.
pub(crate) struct OpenConnection {
    table: Arc<ConnectionTable>,
    pub(crate) connection: Arc<Connection>,
}

/// Returns the client that an address belongs to: the address itself, or the /64 network of an IPv6 address, because a
/// client can use any address in its network.
pub fn client_for(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
        }
        address @ IpAddr::V4(_) => address,
    }
}

impl ConnectionTable {
    /// Creates a table with the limits of this process.
    pub(crate) fn new() -> Arc<Self> {
        Self::with_limit(open_files().map_or(MAX_CONNECTIONS, |files| {
            MAX_CONNECTIONS.min(usize::try_from(files / 4 * 3).unwrap_or(usize::MAX)).max(16)
        }))
    }

    fn with_limit(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            clock: Arc::default(),
            limit,
            // Behind a proxy all clients have the same address, so half of all connections must be enough for them.
            of_each_client: limit.div_ceil(2),
            open: Mutex::default(),
        })
    }

    /// Admits a connection, closing others if necessary; `None` rejects it.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<OpenConnection> {
        let client = client_for(address);
        let mut open = lock(&self.open);
        let of_client = open.of_clients.get(&client).copied().unwrap_or(0);
        if of_client >= self.of_each_client && !open.make_room(Some(client), self.limit) {
            return None;
        }
        if open.connections.len() >= self.limit {
            let greediest = open.find_greediest_client();
            if !open.make_room(greediest, self.limit) && !open.make_room(None, self.limit) {
                return None;
            }
        }
        let connection = Arc::new(Connection::new(open.next, client, &self.clock));
        open.next += 1;
        *open.of_clients.entry(client).or_default() += 1;
        open.connections.insert(connection.number(), Arc::clone(&connection));
        Some(OpenConnection { table: Arc::clone(self), connection })
    }

    /// Closes waiting connections after the process has run out of file descriptors.
    pub(crate) fn make_room(&self) {
        let mut open = lock(&self.open);
        let greediest = open.find_greediest_client();
        let _ = open.make_room(greediest, self.limit) || open.make_room(None, self.limit);
    }

    /// Advances the clock by one second, and closes connections that exceed their time limit.
    pub(crate) fn tick(&self) {
        let now = 1 + self.clock.fetch_add(1, Ordering::Relaxed);
        for connection in lock(&self.open).connections.values() {
            if connection.is_overdue(now) {
                connection.shut_down();
            }
        }
    }

    /// Closes connections without a request.
    pub(crate) fn close_silent(&self) {
        for connection in lock(&self.open).connections.values() {
            if connection.rank().is_some_and(|(has_spoken, ..)| !has_spoken) {
                connection.shut_down();
            }
        }
    }

    /// Closes all connections.
    pub(crate) fn close_all(&self) {
        lock(&self.open).connections.values().for_each(|connection| connection.shut_down());
    }
}

impl OpenConnections {
    /// Returns the client with the most connections.
    fn find_greediest_client(&self) -> Option<IpAddr> {
        let most = self.of_clients.iter().max_by_key(|(_, count)| **count);
        most.map(|(client, _)| *client)
    }

    /// Closes the lowest-ranked connections of a client, or of all clients. Returns whether there were any.
    fn make_room(&mut self, client: Option<IpAddr>, limit: usize) -> bool {
        let is_asked = |it: &&Arc<Connection>| client.is_none_or(|client| it.client() == client);
        let ranked = self.connections.values().filter(is_asked);
        let mut ranked: Vec<_> = ranked.filter_map(|it| Some((it.rank()?, it.number()))).collect();
        ranked.sort_unstable();
        let silent = ranked.iter().take_while(|((has_spoken, ..), _)| !has_spoken).count();
        let going = silent.min(limit / EVICTION_DIVISOR).max(1);
        for (_, number) in ranked.iter().take(going) {
            if let Some(connection) = self.remove(*number) {
                connection.shut_down();
            }
        }
        !ranked.is_empty()
    }

    fn remove(&mut self, number: u64) -> Option<Arc<Connection>> {
        let connection = self.connections.remove(&number)?;
        if let Some(count) = self.of_clients.get_mut(&connection.client()) {
            *count -= 1;
            if *count == 0 {
                self.of_clients.remove(&connection.client());
            }
        }
        Some(connection)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        lock(&self.table.open).remove(self.connection.number());
    }
}

/// Returns the number of file descriptors that this process can open.
fn open_files() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    None
}
