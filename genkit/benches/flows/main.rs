//! The cost of flows and prompts: flows over HTTP compared with handlers written by hand with axum, rendering compared
//! with the `handlebars` crate, and loading `.prompt` files compared with parsing their YAML.
//!
//! `cargo bench -p genkit --bench flows --features flows,dotprompt` prints ratios measured in one run. There are no
//! pass criteria. `-- --quick` takes fewer samples; a word selects the figures with that word in their title. With the
//! feature `dev-tools` the same rows show the cost of reflection that is compiled in but unused. Linux only, since
//! processor time is read from `/proc`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

mod calling;
mod client;
mod loading;
mod rendering;
mod servers;
mod table;
mod time;

use std::time::Duration;

use client::Server;
use table::{Figure, Sample};

/// One request that is measured for two servers.
struct Served {
    title: &'static str,
    path: &'static str,
    body: &'static str,
    /// The number of parts in one response.
    parts: f64,
    budget: f64,
}

const SERVED: [Served; 2] = [
    Served {
        title: "plain flow, server CPU, us",
        path: "/add",
        body: r#"{"data":{"a":2,"b":40}}"#,
        parts: 1.0,
        budget: 1.6,
    },
    Served {
        title: "streamed chunk, server CPU, us",
        path: "/count?stream=true",
        body: r#"{"data":{"n":1000}}"#,
        parts: 1000.0,
        budget: 2.0,
    },
];

impl Served {
    fn figure(&'static self, burst: Duration) -> Figure {
        let side = |name, server| -> (&'static str, Sample) {
            let server = Server::start(server);
            (name, Box::new(move || server.measure(self.path, self.body, burst) / self.parts))
        };
        let sides = vec![side("bare axum", "bare"), side("ours", "ours")];
        Figure { title: self.title.to_owned(), sides, budget: Some(self.budget) }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [flag, server, port] = &*words
        && flag == "--serve"
    {
        return servers::serve(server, port);
    }
    let quick = words.iter().any(|word| word == "--quick");
    let (rounds, burst) = if quick { (3, 500) } else { (9, 1500) };
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let want = |title: &str| wanted.is_empty() || wanted.iter().any(|word| title.contains(*word));
    println!("medians of {rounds} rounds, in which all programs alternate; `dev-tools` {}", {
        if cfg!(feature = "dev-tools") { "compiled in, not enabled" } else { "not compiled in" }
    });
    for served in SERVED.iter().filter(|served| want(served.title)) {
        served.figure(Duration::from_millis(burst)).measure(rounds);
    }
    type Measured = (&'static str, fn(&str) -> Figure);
    let in_process: [Measured; 4] = [
        ("flow in process, CPU, ns", calling::flow),
        ("rendering a prompt of five messages, CPU, us", rendering::five_messages),
        ("loading a folder of 1,000 prompts, CPU, ms", loading::from_disk),
        ("compiling 1,000 prompts in memory, CPU, ms", loading::in_memory),
    ];
    for (title, figure) in in_process {
        if want(title) {
            figure(title).measure(rounds);
        }
    }
}
