//! Tasks over HTTP: their headers, and their owners.

use std::time::Duration;

use genkit::mcp::McpServer;
use genkit::mcp::server::{Principal, TokenError};
use genkit::{Context, Genkit, Registry, tool, tools};
use serde_json::{Value, json};

use super::here::Serving;
use super::wire::{Answer, Wire};

/// Counts, and tells for whom.
#[tool(task = "now")]
async fn count(ctx: &Context, milliseconds: u64) -> String {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    ctx.extension::<Principal>().map_or("nobody", Principal::id).to_owned()
}

async fn verify(token: String) -> Result<Principal, TokenError> {
    match token.as_str() {
        "t-ada" | "t-bob" => Ok(Principal::new(&token[2..])),
        _ => Err(TokenError::invalid("unknown")),
    }
}

fn server() -> McpServer {
    let registry = Registry::new().add(tools![count]);
    let genkit = Genkit::builder().registry(registry).build().expect("a program");
    genkit.serve_mcp().authenticate(verify)
}

/// Sends a request from a client that supports tasks.
fn ask(wire: &Wire, token: &str, method: &str, (name, mut params): (&str, Value)) -> Answer {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":
            {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    let token = format!("Bearer {token}");
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
        ("mcp-name", name),
        ("authorization", &*token),
    ];
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    wire.post(&headers, &request)
}

fn begin(wire: &Wire, token: &str, milliseconds: u64) -> String {
    let arguments = json!({"name": "count", "arguments": {"milliseconds": milliseconds}});
    let created = ask(wire, token, "tools/call", ("count", arguments)).message();
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    created["result"]["taskId"].as_str().expect("an id").to_owned()
}

#[test]
fn task_outlives_its_connection_and_is_its_callers_alone() {
    let serving = Serving::of(server());
    let ada = Wire::to(&serving.url());
    let id = begin(&ada, "t-ada", 300);
    drop(ada);
    let (wire, of) = (Wire::to(&serving.url()), || (&*id, json!({"taskId": id})));
    for method in ["tasks/get", "tasks/cancel"] {
        assert_eq!(ask(&wire, "t-bob", method, of()).code(), -32602, "{method}");
    }
    let update = (&*id, json!({"taskId": id, "inputResponses": {}}));
    assert_eq!(ask(&wire, "t-bob", "tasks/update", update).code(), -32602);
    assert_eq!(ask(&wire, "t-eve", "tasks/get", of()).status, 401);
    let ended = (0..500).map(|_| ask(&wire, "t-ada", "tasks/get", of()).message()).find(|got| {
        std::thread::sleep(Duration::from_millis(10));
        got["result"]["status"] != "working"
    });
    let ended = ended.expect("it ends");
    assert_eq!(ended["result"]["result"]["content"][0]["text"], "ada", "{ended}");
}

#[test]
fn header_names_the_task_that_is_asked_for() {
    let serving = Serving::of(server());
    let wire = Wire::to(&serving.url());
    let id = begin(&wire, "t-ada", 60_000);
    let other = "mcp-task-00000000000000000000000000000000";
    let got = ask(&wire, "t-ada", "tasks/get", (other, json!({"taskId": id})));
    assert_eq!((got.status, got.code()), (400, -32020));
    let cancelled = ask(&wire, "t-ada", "tasks/cancel", (&id, json!({"taskId": id}))).message();
    assert_eq!(cancelled["result"], json!({"resultType": "complete"}));
    let got = ask(&wire, "t-ada", "tasks/get", (&id, json!({"taskId": id}))).message();
    assert_eq!(got["result"]["status"], "cancelled", "{got}");
    for malformed in [json!({}), json!({"taskId": 5}), json!([])] {
        let refused = ask(&wire, "t-ada", "tasks/get", ("5", json!({"taskId": malformed})));
        assert_eq!(refused.code(), -32602, "{malformed}");
    }
}
