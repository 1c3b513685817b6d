//! Connection pools: one HTTP client per runtime and route.

use std::sync::Mutex;
use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::runtime::{Handle, Id};

use super::{KEEPALIVE, Route, build_client, client_builder};
use genkit_core::Result;
use genkit_core::internal::sync::lock;

/// How long an idle connection stays open. Default is 50 seconds, less than the limit of most
/// servers.
pub const POOL_IDLE: Duration = Duration::from_secs(50);

/// The maximum number of cached clients, one per runtime and route. Default is 16. The oldest client is evicted first,
/// and its running requests continue.
const MAX_RUNTIMES: usize = 16;

/// The cached clients. Runtimes do not share connections: a connection belongs to the runtime that opened it, and makes
/// no progress while that runtime is not running.
static CLIENTS: Mutex<Vec<((Id, Route), Client)>> = Mutex::new(Vec::new());

/// Returns the client for `route` in the current runtime.
pub fn client(route: Route) -> Result<Client> {
    let key = (Handle::current().id(), route);
    let mut clients = lock(&CLIENTS);
    if let Some((_, client)) = clients.iter().find(|(known, _)| *known == key) {
        return Ok(client.clone());
    }
    let client = build(route)?;
    if clients.len() >= MAX_RUNTIMES {
        clients.remove(0);
    }
    clients.push((key, client.clone()));
    Ok(client)
}

fn build(route: Route) -> Result<Client> {
    let builder = client_builder(route)
        .pool_idle_timeout(POOL_IDLE)
        .tcp_keepalive(KEEPALIVE)
        // Following a redirect would send the key to the target of the redirect.
        .redirect(Policy::none());
    build_client(builder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_do_not_share_clients_and_old_clients_are_evicted() {
        let route = Route::to(&"http://127.0.0.1".parse().unwrap());
        for _ in 0..=MAX_RUNTIMES {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.unwrap();
            let id = runtime.handle().id();
            runtime.block_on(async {
                client(route).unwrap();
                client(route).unwrap();
            });
            let clients = CLIENTS.lock().unwrap();
            assert_eq!(clients.iter().filter(|((known, _), _)| *known == id).count(), 1);
            assert!(clients.len() <= MAX_RUNTIMES);
        }
    }
}
