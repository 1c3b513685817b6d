//! The cost of a served tool, compared with servers written by hand, with rmcp and without.
//!
//! `cargo bench -p genkit --bench serving --features mcp-http` prints ratios measured in one run. There
//! are no pass criteria. `-- --quick` takes fewer samples; a word selects the figures with that word in their title
//! (`-- http`). Linux only, since processor time and memory are read from `/proc`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

mod client;
mod http;
mod idle;
mod servers;
mod stdio;
mod table;
#[path = "../without_spans/mod.rs"]
mod without_spans;

use table::Figure;

/// The number of samples for each server, and their size.
struct Effort {
    starts: usize,
    rounds: usize,
    /// The number of sequential calls in one sample.
    calls: usize,
    /// The number of `tools/list` requests in one sample.
    lists: usize,
    /// The duration of a sample with many calls at once.
    burst: std::time::Duration,
    /// The number of open, idle sessions.
    idle: usize,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [flag, server, rest @ ..] = &*words
        && flag == "--serve"
    {
        return servers::serve(server, rest.first().map_or("", |port| port));
    }
    let quick = words.iter().any(|word| word == "--quick");
    let effort = if quick {
        let burst = std::time::Duration::from_millis(300);
        Effort { starts: 5, rounds: 2, calls: 2000, lists: 20, burst, idle: 2000 }
    } else {
        let burst = std::time::Duration::from_millis(1000);
        Effort { starts: 20, rounds: 5, calls: 10_000, lists: 60, burst, idle: 10_000 }
    };
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let want = |title: &str| wanted.is_empty() || wanted.iter().any(|word| title.contains(*word));
    println!(
        "one tool `add`; each ratio is the median over {} rounds, in which each server has its turn",
        effort.rounds
    );
    let show = |figures: Vec<Figure>| figures.iter().for_each(Figure::print);
    if want("start") {
        show(vec![stdio::starts(&effort), stdio::first_lists(&effort)]);
    }
    if want("stdio") {
        show(stdio::calls(&effort));
    }
    if want("spans") {
        let program = without_spans::program("serving", &["mcp-http"]);
        show(stdio::spans(&effort, &program));
    }
    if want("list") {
        show(vec![stdio::lists(&effort)]);
    }
    if want("http") {
        show(http::calls(&effort, http::Era::Sessions));
        show(http::calls(&effort, http::Era::Stateless));
        show(http::calls(&effort, http::Era::Modern));
    }
    if want("idle") {
        show(vec![idle::sessions(&effort)]);
    }
}
