//! The tool lists that this library sends, as each receiver gets them: model providers and MCP clients.
//!
//! Random schemas and the tools of public servers are sent. Each list is judged by the rules of its receiver and by ajv
//! in its strict mode, because a receiver that rejects one schema rejects the whole list.

mod receivers;
mod rules;
mod servers;

use std::time::Duration;

use genkit::mcp::host::McpHost;
use genkit::{Genkit, Registry};
use genkit_tests::fuzz::fuzz;
use genkit_tests::random_schemas::schema;
use serde_json::{Value, json};

use crate::{packages, program};
use receivers::{Receivers, served_tools};

/// A tool as one receiver gets it.
struct SentTool {
    receiver: String,
    name: String,
    schema: Value,
}

/// Checks tools by the rules of their receivers, and panics with everything that is rejected.
fn judge(test: &str, sent: &[SentTool]) {
    let mut rejected: Vec<String> = sent.iter().flat_map(rules::find_violations).collect();
    // Gemini's own type of schema is not JSON Schema.
    let list: Vec<Value> = sent
        .iter()
        .filter(|tool| tool.receiver != "gemini, OpenAPI")
        .map(|tool| json!({"name": format!("{}: {}", tool.receiver, tool.name), "schema": tool.schema}))
        .collect();
    let file = packages::scratch(test).join("schemas.json");
    std::fs::write(&file, Value::from(list).to_string()).unwrap();
    let mut node = packages::tool(std::path::Path::new("node"));
    node.arg(format!("{}/schema/ajv.mjs", env!("CARGO_MANIFEST_DIR"))).arg("--2020").arg(&file);
    node.env("AJV_HOME", packages::npm());
    let ran = program::run(&mut node, Duration::from_secs(300)).unwrap();
    if ran.code != Some(0) {
        rejected.push(ran.story());
    }
    assert!(rejected.is_empty(), "{}", rejected.join("\n"));
}

/// Sends the tools of the servers of a host to each receiver, and to the clients of a proxy.
async fn send_tools(receivers: &Receivers, host: &McpHost) -> Vec<SentTool> {
    let mut sent = receivers.send(&host.tools().await.unwrap()).await;
    let genkit = Genkit::builder().registry(Registry::new()).build().unwrap();
    sent.extend(served_tools("mcp", || genkit.serve_mcp().host(host)).await);
    sent
}

#[test]
fn random_schemas_are_accepted_by_each_receiver() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let receivers = runtime.block_on(Receivers::start());
    let (mut sent, mut given) = (Vec::new(), Vec::new());
    fuzz("schemas of tools that are sent", &[], |rng| {
        let tools = (0..4).map(|_| {
            let (mut schema, name) = (schema(rng, 4), format!("tool_{}", given.len()));
            if rng.chance(80) {
                schema["type"] = "object".into();
            }
            given.push(format!("{name} {schema}"));
            json!({"name": name, "inputSchema": schema})
        });
        let server = servers::with_tools(tools.collect());
        sent.extend(runtime.block_on(async {
            let host = McpHost::builder().server("s", server).build().unwrap();
            send_tools(&receivers, &host).await
        }));
    });
    let file = packages::scratch("tool-lists-given").join("schemas.txt");
    std::fs::write(&file, given.join("\n")).unwrap();
    assert!(sent.len() > given.len() * 8, "{} of {} schemas were sent", sent.len(), given.len());
    judge("tool-lists-random", &sent);
}

#[tokio::test]
async fn tools_of_public_servers_are_accepted_by_each_receiver() {
    let receivers = Receivers::start().await;
    let (mut sent, mut count) = (Vec::new(), 0);
    for package in packages::PUBLIC_SERVERS.into_iter().chain(packages::PUBLIC_PYTHON_SERVERS) {
        let host = McpHost::builder().server("s", servers::public(package)).build().unwrap();
        let tools = host.tools().await.unwrap();
        assert!(!tools.is_empty(), "{package}: {:?}", host.status());
        genkit_tests::print_uncaptured(&format!("{package}: {} tools\n", tools.len()));
        count += tools.len();
        sent.extend(send_tools(&receivers, &host).await);
        host.close().await;
    }
    assert!(count > 250, "only {count} tools");
    judge("tool-lists-public", &sent);
}
