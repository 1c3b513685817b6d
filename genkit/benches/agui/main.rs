//! The cost of agents served to web pages: a streamed chunk compared with frames written by hand with axum, and a request
//! compared with a flow that runs the same model. There are two programs with axum: one
//! produces the frames while the client reads, the other in a task with a queue, as `serve_agui` does.
//!
//! `cargo bench -p genkit --bench agui --features agui,flows` prints ratios measured in one run. It does not check
//! the ratios. `-- --quick` takes fewer samples. Linux only, since processor time is read from `/proc`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

#[path = "../flows/client.rs"]
mod client;
mod servers;
#[path = "../flows/table.rs"]
mod table;

use std::time::Duration;

use client::Server;
use table::{Figure, Sample};

/// The number of chunks of a long response.
const CHUNKS: u32 = 1000;

fn agui_body(chunks: u32) -> String {
    format!(
        r#"{{"threadId":"t","runId":"r","protocolVersion":"1.0","state":{{}},"tools":[],"context":[],
        "forwardedProps":{{}},"messages":[{{"id":"u","role":"user","content":"{chunks}"}}]}}"#
    )
}

/// Returns a sample of the processor time of one request, divided by `parts`.
fn sample(
    server: &'static str,
    path: &'static str,
    body: String,
    parts: u32,
    burst: Duration,
) -> Sample {
    let server = Server::start(server);
    Box::new(move || server.measure(path, &body, burst) / f64::from(parts))
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
    let burst = Duration::from_millis(burst);
    println!("medians of {rounds} rounds; the measured programs alternate");
    let long = agui_body(CHUNKS);
    let chunk = Figure {
        title: "streamed chunk, server CPU, us".to_owned(),
        sides: vec![
            ("bare axum", sample("bare", "/agui", long.clone(), CHUNKS, burst)),
            ("bare axum, from a task", sample("bare", "/queued", long.clone(), CHUNKS, burst)),
            ("serve_agui", sample("agui", "/agui", long, CHUNKS, burst)),
        ],
        budget: Some(2.0),
    };
    chunk.measure(rounds);
    let flow = r#"{"data":{"text":"1"}}"#.to_owned();
    let request = Figure {
        title: "request with one chunk, server CPU, us".to_owned(),
        sides: vec![
            ("serve_flows", sample("flows", "/respond?stream=true", flow, 1, burst)),
            ("serve_agui", sample("agui", "/agui", agui_body(1), 1, burst)),
        ],
        budget: None,
    };
    request.measure(rounds);
}
