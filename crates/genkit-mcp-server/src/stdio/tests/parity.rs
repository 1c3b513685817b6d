//! The same requests produce the same responses through rmcp's service loop and through the engine.

use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{BufReader, duplex, split};

use super::{Client, genkit, initialize, serve};
use crate::stdio::StdioLimits;

fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// The requests of one session.
fn session() -> Vec<Value> {
    let call = |name: &str, arguments: Value| {
        ("tools/call", json!({"name": name, "arguments": arguments}))
    };
    let complete = json!({
        "ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "x", "value": ""},
    });
    let requests = [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/list", json!({"cursor": "odd"})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        call("add", json!({"a": 40, "b": 2})),
        call("add", json!({"a": "x"})),
        call("later", json!({"a": 40, "b": 2})),
        call("fail", json!({})),
        call("nobody", json!({})),
        ("tools/call", json!({"name": 5})),
        ("tools/call", json!({"name": "add", "arguments": [1]})),
        ("tools/call", json!({})),
        ("prompts/get", json!({"name": "greet"})),
        ("prompts/get", json!({"name": "nobody"})),
        ("resources/read", json!({"uri": "note://1"})),
        ("resources/read", json!({"uri": "other://1"})),
        ("resources/read", json!({})),
        ("resources/subscribe", json!({"uri": "note://1"})),
        ("resources/unsubscribe", json!({"uri": "note://1"})),
        ("resources/unsubscribe", json!({"uri": 1})),
        ("completion/complete", complete),
        ("completion/complete", json!({})),
        ("logging/setLevel", json!({"level": "debug"})),
        ("logging/setLevel", json!({"level": "loud"})),
        ("subscriptions/listen", json!({"notifications": {}})),
        ("tasks/get", json!({"taskId": "1"})),
        ("tasks/list", json!({})),
        ("no/such/method", json!({"x": 1})),
        ("server/discover", json!({})),
        ("initialize", json!({})),
    ];
    let numbered = (1..).zip(requests);
    numbered.map(|(id, (method, params))| request(id, method, params)).collect()
}

/// The same requests in the form of the 2026-07-28 protocol, with all information in `_meta`.
fn described() -> Vec<Value> {
    let mut requests = session();
    for request in &mut requests {
        request["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        });
    }
    // A request that listens gets no response here.
    requests.retain(|request| request["method"] != "subscriptions/listen");
    let unsupported = json!({
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    requests.push(request(100, "tools/list", json!({ "_meta": unsupported })));
    requests.push(request(101, "tools/list", json!({})));
    requests
}

async fn answers(mut client: Client, first: Option<String>, requests: &[Value]) -> Vec<Value> {
    let mut answers = Vec::new();
    if let Some(first) = first {
        client.line(first).await;
        answers.push(client.receive().await.unwrap());
    }
    for request in requests {
        client.line(request.to_string()).await;
        let answer = client.receive().await.unwrap_or_else(|| panic!("no answer: {request}"));
        assert_eq!(answer["id"], request["id"]);
        answers.push(answer);
    }
    answers
}

/// A client of rmcp's service loop.
fn serve_by_rmcp() -> Client {
    let (near, far) = duplex(1 << 16);
    let handler = genkit().serve_mcp().expose_errors(true).into_handler().unwrap();
    tokio::spawn(async move { handler.serve(near).await.unwrap().waiting().await });
    let (output, input) = split(far);
    Client { input, output: BufReader::new(output) }
}

#[tokio::test]
async fn rmcp_and_the_engine_answer_alike() {
    for (first, requests) in [(Some(initialize()), session()), (None, described())] {
        let by_rmcp = answers(serve_by_rmcp(), first.clone(), &requests).await;
        let (_serving, client) = serve(1 << 16, StdioLimits::default());
        let by_engine = answers(client, first.clone(), &requests).await;
        let asked = requests.iter().map(|request| request["method"].as_str().unwrap());
        let asked = first.is_some().then_some("initialize").into_iter().chain(asked);
        for (method, (theirs, ours)) in asked.zip(by_rmcp.iter().zip(&by_engine)) {
            // rmcp rejects some methods itself, with only their name as the message.
            let refused = json!({"code": -32601, "message": method});
            if theirs["error"] == refused {
                let said = ours["error"]["message"].as_str().unwrap();
                assert!(said.starts_with(&format!("unknown method `{method}`")), "{said}");
                assert_eq!(ours["error"]["code"], refused["code"], "{said}");
            } else {
                assert_eq!(ours, theirs, "the engine, and rmcp");
            }
        }
        assert_eq!(by_rmcp.len(), by_engine.len());
    }
}
