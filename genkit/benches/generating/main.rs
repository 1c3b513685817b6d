//! The cost of a run of the loop, compared with bare `reqwest` that posts the same bodies and discards the responses,
//! and with a loop that is written by hand for this single purpose.
//!
//! `cargo bench -p genkit --bench generating --features gemini` prints ratios measured in one run, after the cost of
//! encoding with each provider that is compiled in (`--features gemini,openai,anthropic,openai-responses,ollama`).
//! There are no pass criteria. A run has three rounds of tools with two parallel calls each, so four posts. The model
//! is a server on loopback in a separate process. It rejects a history without thought signatures, since a loop that
//! drops them would be fast but wrong. Linux only, since processor time is read from `/proc`. `-- --quick` takes fewer
//! samples.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

mod clients;
mod encoding;
mod server;
#[path = "../without_spans/mod.rs"]
mod without_spans;

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// One kind of call that is measured.
#[derive(Clone, Copy)]
struct Case {
    stream: bool,
    at_a_time: usize,
    runs: usize,
    budget: &'static str,
}

/// A server process, killed on drop.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--serve"] => server::serve(),
        ["--client", who, port, stream, at_a_time, runs] => clients::measure(
            who,
            port.parse().unwrap(),
            stream == "sse",
            at_a_time.parse().unwrap(),
            runs.parse().unwrap(),
        ),
        ref flags => report(flags.contains(&"--quick")),
    }
}

fn report(quick: bool) {
    encoding::report(if quick { 50 } else { 500 });
    let rounds = if quick { 3 } else { 5 };
    let runs = if quick { 1500 } else { 6000 };
    let program = std::env::current_exe().unwrap();
    let without_spans = without_spans::program("generating", &compiled_in());
    let mut server =
        Server(Command::new(&program).arg("--serve").stdout(Stdio::piped()).spawn().unwrap());
    let mut port = String::new();
    let out = server.0.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut port).unwrap();
    println!(
        "a run is 4 posts with 3 rounds of 2 tool calls; medians of {rounds} rounds, us a run"
    );
    for case in [
        Case { stream: false, at_a_time: 64, runs, budget: "CPU at most 1.8" },
        Case { stream: true, at_a_time: 64, runs, budget: "CPU at most 1.8" },
        Case { stream: false, at_a_time: 1, runs: runs / 4, budget: "wall at most 1.3" },
        Case { stream: true, at_a_time: 1, runs: runs / 4, budget: "" },
    ] {
        let mut samples: Vec<[f64; 8]> = Vec::new();
        for _ in 0..rounds {
            let client = |who, program: &Path| client(program, who, port.trim(), case);
            let [bare_cpu, bare_wall] = client("bare", &program);
            let [hand_cpu, hand_wall] = client("hand", &program);
            let [our_cpu, our_wall] = client("ours", &program);
            let [heard_cpu, _] = client("heard", &program);
            let [without_cpu, _] = client("ours", &without_spans);
            let hand = [hand_cpu / bare_cpu, hand_wall / bare_wall];
            let ours = [our_cpu / bare_cpu, our_wall / bare_wall];
            let [unheard, heard] = [our_cpu / without_cpu, heard_cpu / our_cpu];
            samples.push([bare_cpu, bare_wall, hand[0], hand[1], ours[0], ours[1], unheard, heard]);
        }
        let median = |at: usize| {
            let mut all: Vec<f64> = samples.iter().map(|sample| sample[at]).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        println!(
            "{:<6} {:>3} at a time: bare CPU {:>5.0} wall {:>5.0}; by hand x CPU {:.2} x wall {:.2}; \
             ours x CPU {:.2} x wall {:.2}, which is x {:.2} of CPU without spans, and with spans kept x {:.2} of it   {}",
            if case.stream { "SSE" } else { "unary" },
            case.at_a_time,
            median(0),
            median(1),
            median(2),
            median(3),
            median(4),
            median(5),
            median(6),
            median(7),
            case.budget,
        );
    }
}

/// Returns the features of this program, for another build of it.
fn compiled_in() -> Vec<&'static str> {
    let features = [
        ("gemini", true),
        ("openai", cfg!(feature = "openai")),
        ("openai-responses", cfg!(feature = "openai-responses")),
        ("anthropic", cfg!(feature = "anthropic")),
        ("ollama", cfg!(feature = "ollama")),
    ];
    features.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
}

/// Returns the processor time and the wall time of a run, in microseconds.
fn client(program: &Path, who: &str, port: &str, case: Case) -> [f64; 2] {
    let stream = if case.stream { "sse" } else { "unary" };
    let output = Command::new(program)
        .args(["--client", who, port, stream])
        .args([case.at_a_time.to_string(), case.runs.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "the client `{who}` failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().unwrap());
    [numbers.next().unwrap(), numbers.next().unwrap()]
}
