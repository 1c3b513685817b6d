//! Mixed traffic for minutes: what a server and a proxy have must not grow with time.
//!
//! `cargo bench -p genkit --bench soak --features mcp-http,mcp-host -- --minutes 10` prints a row
//! each minute, and in the end a verdict for each column; it fails where one is bad. A session that
//! is left alone lives for five minutes, so that ten show more than one does. Linux only, since
//! processes are looked at in `/proc`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for a person")]

#[path = "../../../tests/protocol/raw/client.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod client;
#[path = "../../../tests/protocol/raw/connection.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod connection;
#[path = "../../../tests/protocol/raw/process.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod process;
mod processes;
mod servers;
mod table;
mod tally;
mod traffic;

use std::sync::Arc;
use std::time::{Duration, Instant};

use processes::{Processes, Serving};
use table::Table;
use tally::Tally;

/// How long one exchange may take before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(20);

/// Work that ends: what does not is an error of its own.
async fn timely<T>(what: &str, work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let timed = tokio::time::timeout(PATIENCE, work).await;
    timed.unwrap_or_else(|_| Err(format!("{what} takes for ever")))
}

/// Work that ends; the client of the tests asks for this.
async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    let timed = tokio::time::timeout(PATIENCE, work).await;
    timed.unwrap_or_else(|_| panic!("{what} takes for ever"))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [flag, server, rest @ ..] = &*words
        && flag == "--serve"
    {
        return servers::serve(server, rest);
    }
    let minutes = words.iter().skip_while(|word| *word != "--minutes").nth(1);
    let minutes: f64 = minutes.map_or(10.0, |minutes| minutes.parse().unwrap());
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let good = runtime.block_on(soak(Duration::from_secs_f64(minutes * 60.0)));
    std::process::exit(i32::from(!good));
}

/// Runs all traffic for so long, and says whether all is well.
async fn soak(time: Duration) -> bool {
    let processes = Processes::start();
    let tally = Arc::new(Tally::default());
    let serving = processes.serving();
    let mut running = traffic::all(&serving, &tally);
    let rows = (time.as_secs() / 60).clamp(6, 60) as u32;
    let mut table = Table::new();
    let started = Instant::now();
    for row in 1..=rows {
        let until = started + time * row / rows;
        tokio::time::sleep_until(until.into()).await;
        table.add(started.elapsed(), &processes, &tally);
    }
    running.shutdown().await;
    let flat = table.verdict();
    let orphans = processes.end();
    println!("processes left: {}", orphans.len());
    tally.print_errors();
    flat && orphans.is_empty()
}

/// Where the two servers are.
impl Serving {
    fn both(self) -> [std::net::SocketAddr; 2] {
        [self.server, self.proxy]
    }
}
