//! The cost of a call through a host compared with a client of rmcp, and the cost of starting many servers.
//!
//! `cargo bench -p genkit --bench hosting --features mcp-host,mcp-server` prints ratios measured in one run. There are
//! no pass criteria. `-- --quick` takes fewer samples; a word selects the figures with that word in their title (`--
//! start`).

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

mod calls;
mod clients;
mod servers;
mod starts;

use std::time::Duration;

/// The number of samples, and their size.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    /// The number of sequential calls in one sample.
    calls: usize,
    /// The duration of a sample with many calls at once.
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
            // In a task, as the tools of a run are: waking the main thread costs more than waking a task.
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
