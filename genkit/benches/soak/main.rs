//! Mixed traffic for several minutes: the resources of a server and of a proxy must not grow with time.
//!
//! `cargo bench -p genkit --bench soak --features mcp-http,mcp-host -- --minutes 10` prints rows, and at the end a
//! verdict for each column; it fails if a column is bad. Abandoned sessions and questions expire after a minute here
//! (`--lifetime 60`, in seconds; 0 is the library's default of 5 and 10 minutes), so that they are created and removed
//! several times in ten minutes. The first two lifetimes are the warm-up. With `--leave none`, clients abandon no
//! questions or sessions. `--pace 3` waits three times as long between requests, for a busy machine. Linux only, since
//! processes are read from `/proc`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

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
mod sessions;
mod table;
mod tally;
mod traffic;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use client::{Client, Era};
use processes::{Processes, Serving};
use table::Table;
use tally::Tally;

/// The time limit of one exchange. After it, the exchange counts as lost.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs work with a time limit. Returns an error if the limit is exceeded.
async fn timely<T>(what: &str, work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let timed = tokio::time::timeout(PATIENCE, work).await;
    timed.unwrap_or_else(|_| Err(format!("{what} timed out")))
}

/// Runs work with a time limit, as the tests' client requires.
async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    let timed = tokio::time::timeout(PATIENCE, work).await;
    timed.unwrap_or_else(|_| panic!("{what} timed out"))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [flag, server, rest @ ..] = &*words
        && flag == "--serve"
    {
        return servers::serve(server, rest);
    }
    let said = |flag: &str| words.iter().skip_while(|word| *word != flag).nth(1);
    let number = |flag, default| said(flag).map_or(default, |number| number.parse().unwrap());
    let minutes: f64 = number("--minutes", 10.0);
    let plan = Plan {
        time: Duration::from_secs_f64(minutes * 60.0),
        lifetime: number("--lifetime", 60.0) as u64,
        leaves: said("--leave").is_none_or(|word| word != "none"),
    };
    traffic::PACE.store(number("--pace", 1.0) as u64, std::sync::atomic::Ordering::Relaxed);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let good = runtime.block_on(soak(&plan));
    std::process::exit(i32::from(!good));
}

/// The settings of a run.
struct Plan {
    time: Duration,
    /// The lifetime of abandoned sessions and questions, in seconds; 0 is the library's default.
    lifetime: u64,
    /// Whether clients abandon questions and sessions.
    leaves: bool,
}

impl Plan {
    /// Returns the time until the steady state, after which even the longest-lived objects have been created and removed.
    fn warm_up(&self) -> Duration {
        let longest = if self.lifetime == 0 { 660 } else { 2 * self.lifetime };
        Duration::from_secs(longest).min(self.time / 2)
    }
}

/// Runs all traffic. Returns whether all columns are good.
async fn soak(plan: &Plan) -> bool {
    let processes = Processes::start(plan.lifetime);
    let tally = Arc::new(Tally::default());
    let serving = processes.serving();
    let counting = Client::new(serving.server, Ipv4Addr::new(127, 2, 9, 9), Era::Modern);
    let mut counting = counting.opened().await.unwrap();
    let mut running = traffic::all(&serving, plan.leaves, &tally);
    let rows = (plan.time.as_secs() / 30).clamp(8, 60) as u32;
    let mut table = Table::new(plan.warm_up());
    let started = Instant::now();
    for row in 1..=rows {
        let until = started + plan.time * row / rows;
        tokio::time::sleep_until(until.into()).await;
        let open = open(&mut counting).await;
        table.add(started.elapsed(), &processes, open, &tally);
    }
    running.shutdown().await;
    let flat = table.verdict();
    let orphans = processes.end();
    println!("processes left: {}", orphans.len());
    tally.print_errors();
    flat && orphans.is_empty()
}

/// Returns the numbers of open questions, sessions and tasks of the server.
async fn open(client: &mut Client) -> [f64; 3] {
    let counted = timely("a count", client.call("open", serde_json::json!({}))).await;
    let counted = counted.unwrap_or_default();
    let text = counted["content"][0]["text"].as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or([f64::NAN; 3])
}

/// The addresses of the two servers.
impl Serving {
    fn both(self) -> [std::net::SocketAddr; 2] {
        [self.server, self.proxy]
    }
}
