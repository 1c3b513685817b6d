//! What a call through a host costs, against a client of rmcp; and what many servers cost to start.
//!
//! `cargo bench -p genkit --bench hosting --features mcp-host,mcp-server` prints ratios measured in
//! one run; nothing judges them. `-- --quick` takes fewer samples; a word takes only figures with it
//! in their title (`-- start`).

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for a person")]

mod calls;
mod clients;
mod servers;
mod starts;

use std::time::Duration;

/// How many samples are taken, and how large they are.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    /// Calls one after the other, in one sample.
    calls: usize,
    /// How long a sample with many calls at once takes.
    burst: Duration,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [flag, server] = &*words
        && flag == "--serve"
    {
        return servers::serve(server);
    }
    let effort = match words.iter().any(|word| word == "--quick") {
        true => Effort { rounds: 3, calls: 2000, burst: Duration::from_millis(300) },
        false => Effort { rounds: 9, calls: 10_000, burst: Duration::from_secs(1) },
    };
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let want = |title: &str| wanted.is_empty() || wanted.iter().any(|word| title.contains(*word));
    println!("each ratio is the median over {} rounds, in which each has its turn", effort.rounds);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for place in [clients::Place::Stdio, clients::Place::InProcess] {
        if want(place.title()) {
            // In a task, as the tools of a run are: waking the main thread costs more than a task.
            let measuring = runtime.spawn(calls::measure(effort, place));
            runtime.block_on(measuring).unwrap();
        }
    }
    if want("start") {
        runtime.block_on(starts::measure(&effort));
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
