//! The audit log: each call, get, read, completion and rejection causes one event, which cannot be forged.

use genkit::action::CompleteRequest;
use genkit::mcp::McpServer;
use genkit::testing::Client;
use genkit::{Genkit, Registry, Result, prompt, prompts, resource, resources, tool, tools};
use serde_json::json;

use crate::logged::Log;

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Greets.
#[prompt]
async fn greet(#[arg(complete = names)] name: String) -> String {
    format!("Hello, {name}!")
}

async fn names(_: CompleteRequest) -> Result<Vec<String>> {
    Ok(vec!["Ada".to_owned()])
}

/// A thing.
#[resource("thing://{id}")]
async fn thing(id: String) -> String {
    id
}

/// The audit events of this test.
struct AuditLog(Log);

impl AuditLog {
    fn take(&self) -> Vec<String> {
        let mut events = self.0.take("");
        // A client cannot influence the target of an event.
        events.retain(|event| event.starts_with("genkit::audit "));
        events
    }
}

fn listening() -> (AuditLog, tracing::subscriber::DefaultGuard) {
    let (log, guard) = Log::listening();
    (AuditLog(log), guard)
}

fn server() -> McpServer {
    let registry = Registry::new().add(tools![add]).add(prompts![greet]).add(resources![thing]);
    Genkit::builder().registry(registry).build().unwrap().serve_mcp()
}

#[tokio::test]
async fn every_request_that_runs_or_is_rejected_leaves_one_event() {
    for modern in [false, true] {
        let (log, _guard) = listening();
        let client = Client::builder().modern(modern).connect(server()).await.unwrap();
        client.tools().await.unwrap();
        assert_eq!(log.take(), [""; 0], "a list is public");
        client.call_tool("add", json!({"a": 1, "b": 2})).await.unwrap();
        client.get_prompt("greet", json!({"name": "Ada"})).await.unwrap();
        client.read_resource("thing://1").await.unwrap();
        client.complete("greet", "name", "").await.unwrap();
        let served = log.take();
        for (event, name) in served.iter().zip([
            "method=\"tools/call\" name=add",
            "method=\"prompts/get\" name=greet",
            "method=\"resources/read\" name=thing://1",
            "method=\"completion/complete\"",
        ]) {
            assert!(event.contains(name) && event.contains("outcome=\"ok\""), "{event}");
        }
        assert_eq!(served.len(), 4, "{served:?}");

        client.call_tool("no_tool", json!({})).await.unwrap_err();
        client.get_prompt("no_prompt", json!({})).await.unwrap_err();
        client.read_resource("no://resource").await.unwrap_err();
        client.complete("no_prompt", "name", "").await.unwrap_err();
        let refused = log.take();
        for (event, name) in
            refused.iter().zip(["no_tool", "no_prompt", "no://resource", "no_prompt"])
        {
            let refusal =
                event.contains("outcome=\"refused\"") && event.contains("reason=\"unknown\"");
            assert!(refusal && event.contains(name), "{event}");
        }
        assert_eq!(refused.len(), 4, "{refused:?}");
    }
}

#[tokio::test]
async fn request_over_the_rate_leaves_an_event() {
    let (log, _guard) = listening();
    let client = Client::connect(server().max_per_second(1)).await.unwrap();
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(client.call_tool("add", json!({"a": 1, "b": 2})).await);
    }
    let refused = answers.iter().filter(|answer| answer.is_err()).count();
    let told = log.take();
    let of_rate = |event: &&String| event.contains("reason=\"rate\"");
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(refused >= 1 && told.iter().filter(of_rate).count() == refused, "{told:?}");
}

#[tokio::test]
async fn words_of_a_client_are_escaped_and_cut() {
    let (log, _guard) = listening();
    let client = Client::connect(server().audit_contents(true)).await.unwrap();
    let forged = "x\n2026-01-01 INFO genkit::audit: served\u{1b}[2J\u{202e} outcome=\"ok\"";
    client.call_tool(forged, json!({})).await.unwrap_err();
    client.read_resource(&"r".repeat(5_000)).await.unwrap_err();
    client.read_resource(&format!("thing://{}", "a b".repeat(100))).await.ok();
    client.call_tool("add", json!({"a": forged, "b": "y".repeat(100_000)})).await.ok();
    for event in log.take() {
        assert!(event.len() < 40_000, "{} bytes", event.len());
        let raw = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!event.contains(raw), "{event:?}");
        let name = event.split("name=").nth(1).unwrap().split(" client=").next().unwrap();
        assert!(name.len() <= 400, "{name}");
        assert!(!name.contains(' ') || name.starts_with('"'), "{name}");
    }
}
