//! The example `telemetry` with an OTLP receiver that uses OpenTelemetry's own package to decode: the spans of one
//! question in two processes are one tree, which is compared with a file.
//!
//! `UPDATE=1` rewrites the trees.

mod received;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::packages;
use crate::program::{self, Ran};
use crate::server::{self, Server};
use received::Received;

const PATIENCE: Duration = Duration::from_secs(60);

/// The data received in one test.
struct Receiver {
    server: Server,
    file: PathBuf,
}

impl Receiver {
    fn start(test: &str) -> Self {
        let folder = packages::scratch(test);
        let (script, file) = (folder.join("receiver.py"), folder.join("received.jsonl"));
        std::fs::write(&script, include_str!("receiver.py")).unwrap();
        let mut python = packages::tool(packages::otlp_python());
        Self { server: Server::spawn(python.arg(script).arg(&file)), file }
    }

    /// Returns the example, which exports to this receiver.
    fn example(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(server::example("telemetry"));
        command
            .args(arguments)
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", self.server.url())
            .env("OTEL_BSP_SCHEDULE_DELAY", "100")
            .env("OTEL_METRIC_EXPORT_INTERVAL", "200")
            .env("RUST_LOG", "info,rmcp=off");
        command
    }

    fn received(&self) -> Received {
        Received::read(&std::fs::read_to_string(&self.file).unwrap_or_default())
    }

    /// Returns the received data once `is_there` accepts it.
    fn once(&self, is_there: impl Fn(&Received) -> bool) -> Received {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let received = self.received();
            if is_there(&received) || Instant::now() > deadline {
                return received;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn asked(command: &mut Command) -> Ran {
    let ran = program::run(command, PATIENCE).unwrap();
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    assert_eq!(ran.stdout, "high water at noon\n", "{}", ran.story());
    ran
}

/// Compares the tree of the question with the file of this name.
fn compare(received: &Received, name: &str) {
    let tree = received.tree();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/telemetry").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &tree).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(tree, expected, "{}", received.all());
}

/// Returns whether there is a point of a program's metric with this label.
fn has_label(received: &Received, metric: &str, service: &str, name: &str, value: &str) -> bool {
    let points = received.points(metric, service);
    points.iter().any(|point| point.get(name).map(String::as_str) == Some(value))
}

const SESSIONS: &str = "mcp.server.session.duration";
const ACTIVE_SESSIONS: &str = "genkit.mcp.server.active_sessions";

fn check_the_rest(received: &Received) {
    // The contents of the question and the response are not exported.
    for content in ["Cuxhaven", "high water"] {
        assert!(!received.raw().contains(content), "{content} in {}", received.raw());
    }
    let label = |metric: &str, service: &str, name: &str, value: &str| {
        let has = has_label(received, metric, service, name, value);
        let points = received.points(metric, service);
        assert!(has, "{metric} of {service} has no {name}={value}: {points:?}");
    };
    label("mcp.server.operation.duration", "tides", "gen_ai.tool.name", "get_tide");
    label("mcp.client.operation.duration", "assistant", "gen_ai.tool.name", "get_tide");
    label("gen_ai.client.operation.duration", "assistant", "gen_ai.request.model", "offline");
    label("gen_ai.client.token.usage", "assistant", "gen_ai.token.type", "output");
    assert!(!received.points("genkit.mcp.server.active_requests", "tides").is_empty());
}

#[test]
fn spans_of_a_question_are_one_tree_over_stdio() {
    let receiver = Receiver::start("telemetry-stdio");
    asked(&mut receiver.example(&[]));
    let received = receiver.received();
    compare(&received, "stdio.txt");
    check_the_rest(&received);
    assert!(has_label(&received, SESSIONS, "tides", "network.transport", "pipe"));
    assert!(!received.points(ACTIVE_SESSIONS, "tides").is_empty());
}

#[test]
fn spans_of_a_question_are_one_tree_over_http() {
    let receiver = Receiver::start("telemetry-http");
    let tides = Server::spawn(&mut receiver.example(&["--serve", "--http", "127.0.0.1:0"]));
    asked(&mut receiver.example(&[tides.url()]));
    let received = receiver.once(|received| {
        received.has_span("tides", "tools/call get_tide")
            && has_label(
                received,
                "mcp.server.operation.duration",
                "tides",
                "gen_ai.tool.name",
                "get_tide",
            )
    });
    compare(&received, "http.txt");
    check_the_rest(&received);
    // Over HTTP the 2026-07-28 protocol has no sessions.
    assert!(received.points(SESSIONS, "tides").is_empty());
    assert!(received.points(ACTIVE_SESSIONS, "tides").is_empty());
}

#[test]
fn export_failure_is_logged_and_has_no_other_effect() {
    let mut command = Command::new(server::example("telemetry"));
    // No server listens there.
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9").env_remove("RUST_LOG");
    let ran = asked(&mut command);
    assert!(ran.stderr.contains("opentelemetry"), "{}", ran.story());
    let ran = asked(command.env("OTEL_SDK_DISABLED", "true"));
    assert!(!ran.stderr.contains("opentelemetry"), "{}", ran.story());
}
