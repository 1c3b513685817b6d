//! One server over HTTP with 200 clients, half of them honest.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::time::Duration;

use genkit_tests::print_uncaptured;
use tokio::task::JoinSet;

use super::{Seen, greedy, honest, hostile, slow};
use crate::raw::{self, Client, Era, PATIENCE, Usage, host};
use crate::server::{self, Server};

/// The number of clients.
const CLIENTS: usize = 200;

/// The number of honest clients.
const HONEST: usize = 100;

/// The number of rounds of an honest client.
const ROUNDS: usize = 4;

/// The number of honest clients of a second server without other clients at that time. They measure how the machine
/// handles honest calls under the same load.
const UNDISTURBED: usize = 20;

/// The maximum ratio between the 99th percentile of the honest calls among the others and that of undisturbed ones,
/// measured before and at the same time.
const FACTOR: f64 = 40.0;

/// The memory that the server may keep after all clients are gone, in KiB: that of sessions that have not expired yet.
const LEFT: u64 = 96 * 1024;

/// The address of each client.
type Places = fn(usize) -> Ipv4Addr;

async fn honest_ones(to: SocketAddr, places: Places, count: usize) -> Seen {
    let mut running = JoinSet::new();
    for name in 0..count {
        running.spawn(async move {
            let era = Era::BOTH[name % 2];
            let opened = Client::new(to, places(name), era).opened();
            match tokio::time::timeout(PATIENCE, opened).await {
                Ok(Ok(mut client)) => honest::use_it(&mut client, name, ROUNDS).await,
                Ok(Err(error)) => Seen { wrong: vec![error], ..Seen::default() },
                Err(_) => Seen { wrong: vec!["no session".to_owned()], ..Seen::default() },
            }
        });
    }
    let mut all = Seen::default();
    while let Some(seen) = running.join_next().await {
        all.add(seen.expect("an honest client"));
    }
    all
}

/// Returns the other clients, which run until they are dropped.
fn others(to: SocketAddr, places: Places) -> JoinSet<()> {
    let mut running = JoinSet::new();
    for name in HONEST..CLIENTS {
        running.spawn(async move {
            let era = Era::BOTH[name % 2];
            let Ok(client) = Client::new(to, places(name), era).opened().await else { return };
            match name / 2 % 5 {
                0 => slow::slow(client).await,
                1 => slow::silent(client).await,
                2 => slow::gone(client).await,
                3 => greedy::greedy(client).await,
                _ => hostile::hostile(client).await,
            }
        });
    }
    running
}

async fn matrix(title: &str, places: Places) {
    let (server, undisturbed) = (start(), start());
    let to = raw::address(&server);
    let mut alone = honest_ones(to, places, HONEST).await;
    let before = Usage::of(server.id());
    let all_others = others(to, places);
    // They start before the honest ones.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (mut among, mut beside) = tokio::join!(
        honest_ones(to, places, HONEST),
        honest_ones(raw::address(&undisturbed), places, UNDISTURBED)
    );
    let meanwhile = Usage::of(server.id());
    drop(all_others);
    let after = gone(&server, before).await;
    let undisturbed = alone.percentile(99).max(beside.percentile(99));
    let factor = among.percentile(99).as_secs_f64() / undisturbed.as_secs_f64();
    print_uncaptured(&format!(
        "load, {title}\n  {}  {}  {}  p99 factor {factor:.1} of at most {FACTOR}; before, meanwhile, \
         after: {} {} {} MiB, {} {} {} descriptors\n",
        alone.line("the honest alone"),
        beside.line("the honest of another server at that time"),
        among.line("the honest among others"),
        before.rss / 1024,
        meanwhile.rss / 1024,
        after.rss / 1024,
        before.descriptors,
        meanwhile.descriptors,
        after.descriptors,
    ));
    alone.assert_right("alone");
    beside.assert_right("at another server");
    among.assert_right("among others");
    assert!(factor < FACTOR, "p99 is {factor:.1} times that of undisturbed clients");
    assert!(after.rss < before.rss + LEFT, "{before:?}, then {after:?}");
    assert!(after.descriptors <= before.descriptors + 20, "{before:?}, then {after:?}");
}

fn start() -> Server {
    let mut command = Command::new(server::example("conformance"));
    Server::spawn(command.args(["--http", "127.0.0.1:0"]).env("RUST_LOG", "info"))
}

/// Returns the server's resources once it has noticed that all clients are gone.
async fn gone(server: &Server, before: Usage) -> Usage {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let now = Usage::of(server.id());
        if now.descriptors <= before.descriptors + 20 || tokio::time::Instant::now() > deadline {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_clients_at_different_addresses() {
    matrix("200 clients at 200 addresses", |name| host(1 + name as u8)).await;
}

/// As behind a proxy that does not pass on the addresses of clients.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_clients_at_one_address() {
    matrix("200 clients at one address", |_| Ipv4Addr::LOCALHOST).await;
}
