//! Measurements of servers on pipes.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout};
use std::time::Instant;

use super::Effort;
use super::client::{INITIALIZE, INITIALIZED, Server, call};
use super::table::{Budget, Figure, median};

/// The number of calls in flight.
const IN_FLIGHT: usize = 64;

struct Session {
    server: Server,
    input: ChildStdin,
    output: ChildStdout,
    buffer: Vec<u8>,
    last: usize,
}

impl Session {
    fn open(name: &str) -> Self {
        Self::over(Server::start(name, None))
    }

    fn over(mut server: Server) -> Self {
        let input = server.child.stdin.take().unwrap();
        let output = server.child.stdout.take().unwrap();
        let mut session = Self { server, input, output, buffer: vec![0; 1 << 16], last: 0 };
        session.send(&format!("{INITIALIZE}\n"));
        session.receive(1);
        session.send(&format!("{INITIALIZED}\n"));
        session
    }

    fn send(&mut self, lines: &str) {
        self.input.write_all(lines.as_bytes()).unwrap();
    }

    /// Reads at least `least` complete lines, and returns how many were read.
    fn receive(&mut self, least: usize) -> usize {
        let mut lines = 0;
        while lines < least {
            let count = self.output.read(&mut self.buffer).unwrap();
            assert!(count > 0, "the server ended");
            lines += self.buffer[..count].iter().filter(|byte| **byte == b'\n').count();
        }
        lines
    }

    /// Sends `count` new calls in one write.
    fn send_calls(&mut self, count: usize) {
        let lines: String = (1..=count).map(|n| call(self.last + n) + "\n").collect();
        self.last += count;
        self.send(&lines);
    }

    /// Makes sequential calls. Returns the median time and the server's processor time, in microseconds.
    fn one_by_one(&mut self, calls: usize) -> (f64, f64) {
        for _ in 0..calls / 10 {
            self.send_calls(1);
            self.receive(1);
        }
        let before = self.server.cpu();
        let times = (0..calls).map(|_| {
            let started = Instant::now();
            self.send_calls(1);
            self.receive(1);
            started.elapsed().as_secs_f64() * 1e6
        });
        let p50 = median(times.collect());
        (p50, (self.server.cpu() - before) / calls as f64)
    }

    /// Returns the number of calls per second. Each response is followed by a new call.
    fn many_at_once(&mut self, effort: &Effort) -> f64 {
        self.send_calls(IN_FLIGHT);
        let started = Instant::now();
        let mut done = 0;
        while started.elapsed() < effort.burst {
            let came = self.receive(1);
            done += came;
            self.send_calls(came);
        }
        let rate = done as f64 / started.elapsed().as_secs_f64();
        self.receive(IN_FLIGHT);
        rate
    }
}

/// Measures the time from the start of the process to the response to its first call.
pub(crate) fn starts(effort: &Effort) -> Figure {
    const SERVERS: [&str; 4] = ["bare", "rmcp", "rmcp-pipes", "ours"];
    let mut figure =
        Figure::new("start to the first answer, ms", &SERVERS, "rmcp", Budget::Times(1.6));
    for _ in 0..effort.starts {
        for (place, name) in SERVERS.iter().enumerate() {
            let started = Instant::now();
            let mut session = Session::open(name);
            session.send_calls(1);
            session.receive(1);
            figure.add(place, started.elapsed().as_secs_f64() * 1e3);
        }
    }
    figure
}

/// Measures how long a client waits for a list of 1,000 tools with the same type of arguments. The other servers derive
/// the schema for each tool, genkit derives it once.
pub(crate) fn first_lists(effort: &Effort) -> Figure {
    const SERVERS: [&str; 3] = ["bare-derived", "rmcp-derived", "ours-list"];
    let title = "start to the first tools/list of 1,000, ms";
    let mut figure = Figure::new(title, &SERVERS, "rmcp-derived", Budget::Times(1.4));
    for _ in 0..effort.starts {
        for (place, name) in SERVERS.iter().enumerate() {
            let started = Instant::now();
            let mut session = Session::open(name);
            session.send("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\"}\n");
            session.receive(1);
            figure.add(place, started.elapsed().as_secs_f64() * 1e3);
        }
    }
    figure
}

/// Measures calls to one tool, and their memory.
pub(crate) fn calls(effort: &Effort) -> Vec<Figure> {
    const SERVERS: [&str; 6] = ["bare", "bare-std", "rmcp", "rmcp-pipes", "ours", "ours-text"];
    let new = |title, budget| Figure::new(title, &SERVERS, "rmcp-pipes", budget);
    let mut p50 = new("stdio, one by one, p50, us", Budget::Times(0.75));
    let mut cpu = new("stdio, one by one, server CPU, us", Budget::Times(0.5));
    let mut rate = new("stdio, 64 in flight, calls/s", Budget::AtLeast(0.4));
    let mut memory = new("stdio, peak memory, all servers in one, MiB", Budget::None);
    let mut own = new("stdio, memory without program file, MiB", Budget::None);
    for _ in 0..effort.rounds {
        for (place, name) in SERVERS.iter().enumerate() {
            let mut session = Session::open(name);
            let (middle, spent) = session.one_by_one(effort.calls);
            p50.add(place, middle);
            cpu.add(place, spent);
            rate.add(place, session.many_at_once(effort));
            memory.add(place, session.server.memory("VmHWM"));
            own.add(place, session.server.memory("RssAnon"));
        }
    }
    vec![p50, cpu, rate, memory, own]
}

/// Measures the cost of spans without a subscriber, with one that disables them, and with one that records them.
/// The baseline is the same server in a `program` without spans.
pub(crate) fn spans(effort: &Effort, program: &Path) -> Vec<Figure> {
    const SERVERS: [&str; 4] = ["ours-without-spans", "ours", "ours-deaf", "ours-heard"];
    let new = |title, budget| Figure::new(title, &SERVERS, "ours-heard", budget);
    let mut cpu = new("spans, one by one, server CPU, us", Budget::None);
    let mut rate = new("spans, 64 in flight, calls/s", Budget::None);
    for _ in 0..effort.rounds {
        for (place, name) in SERVERS.iter().enumerate() {
            let mut session = match *name {
                "ours-without-spans" => Session::over(Server::start_of(program, "ours", None)),
                name => Session::open(name),
            };
            cpu.add(place, session.one_by_one(effort.calls).1);
            rate.add(place, session.many_at_once(effort));
        }
    }
    vec![cpu, rate]
}

/// Measures `tools/list` with 1,000 tools.
pub(crate) fn lists(effort: &Effort) -> Figure {
    const SERVERS: [&str; 4] = ["bare-list", "rmcp-list", "rmcp-pipes-list", "ours-list"];
    let mut figure = Figure::new(
        "tools/list of 1,000, p50, ms",
        &SERVERS,
        "rmcp-pipes-list",
        Budget::Times(2.0),
    );
    for _ in 0..effort.rounds {
        for (place, name) in SERVERS.iter().enumerate() {
            let mut session = Session::open(name);
            let times = (0..effort.lists).map(|id| {
                let started = Instant::now();
                session.send(&format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}}\n",
                    id + 1
                ));
                session.receive(1);
                started.elapsed().as_secs_f64() * 1e3
            });
            figure.add(place, median(times.collect()));
        }
    }
    figure
}
