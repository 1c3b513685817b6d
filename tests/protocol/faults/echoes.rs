//! Servers that repeat their input: how much of it is reported, without secrets.

use std::sync::{Arc, Mutex};

use genkit::mcp::host::{McpClient, McpHost};
use serde_json::{Value, json};

use super::http::{Reply, Request, Server, is, json_reply};
use super::{says, within};

const TOKEN: &str = "s3cret-token-of-mine";

fn events(request: &Request, messages: &[Value], result: Value) -> Reply {
    let answer = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result});
    let all = messages.iter().chain([&answer]);
    let body: String = all.map(|message| format!("data: {message}\n\n")).collect();
    Some((200, "content-type: text/event-stream\r\n".to_owned(), body))
}

/// Repeats the header with the token in every response except the results of tools.
fn repeats(request: &Request) -> Option<Reply> {
    let sent = request.headers.get("authorization").cloned().unwrap_or_default();
    let notify =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
    Some(match request.body["method"].as_str()? {
        "initialize" => json_reply(
            request,
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}, "logging": {}},
                "serverInfo": {"name": sent, "version": sent},
                "instructions": format!("Send {sent}."),
            }),
        ),
        "tools/list" => {
            let schema = json!({"type": "object"});
            let left_out = json!({"name": format!("{sent}\u{200b}"), "inputSchema": schema});
            let good = json!({"name": "echo", "inputSchema": schema});
            json_reply(request, json!({"tools": [good, left_out]}))
        }
        "tools/call" => {
            let token = &request.body["params"]["_meta"]["progressToken"];
            let told = [
                notify(
                    "notifications/message",
                    json!({"level": "error", "logger": sent, "data": {"got": [sent]}}),
                ),
                notify(
                    "notifications/message",
                    json!({"level": "error", "data": {sent.as_str(): 1}}),
                ),
                notify(
                    "notifications/progress",
                    json!({"progressToken": token, "progress": 1, "message": sent}),
                ),
            ];
            let failed = json!({"isError": true, "content": [{"type": "text", "text": format!("bad {sent}")}]});
            events(request, &told, failed)
        }
        _ => return None,
    })
}

#[tokio::test]
async fn token_that_a_server_repeats_is_read_nowhere() {
    let server = Server::start(repeats).await;
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&told);
    let host = McpHost::builder()
        .server("s", server.client().bearer_token(TOKEN))
        .on_event(move |event| heard.lock().unwrap().push(format!("{event:?}")))
        .build()
        .unwrap();
    let client = host.client("s").unwrap();
    let tools = within(client.tools()).await.unwrap();
    assert_eq!(tools.iter().map(|tool| tool.name()).collect::<Vec<_>>(), ["echo"]);
    let error = within(client.call_tool("echo", json!({}))).await.unwrap_err();
    let status = client.status();
    let told = told.lock().unwrap().join("\n");
    assert!(told.contains("Log {"), "{told}");
    assert_eq!(status.notices.len(), 1, "{status:?}");
    let read = format!("{} {error:?}\n{status:?}\n{told}", error.chain());
    assert!(error.chain().contains("bad "), "{read}");
    assert!(!read.contains(TOKEN) && !read.contains("s3cret"), "{read}");
    within(host.close()).await;
}

#[tokio::test]
async fn status_does_not_repeat_the_token_of_a_server_that_is_not_there() {
    let refuses = |request: &Request| {
        let sent = request.headers.get("authorization")?;
        let id = &request.body["id"];
        let error = json!({"code": -32000, "message": format!("who is {sent}"), "data": [sent]});
        let body = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
        Some(Some((200, "content-type: application/json\r\n".to_owned(), body)))
    };
    let server = Server::start(refuses).await;
    let host = McpHost::builder().server("s", server.client().bearer_token(TOKEN)).build().unwrap();
    let error = within(host.client("s").unwrap().ready()).await.unwrap_err();
    let read = format!("{} {error:?}\n{:?}", error.chain(), host.status());
    assert!(read.contains("who is"), "{read}");
    assert!(!read.contains("s3cret"), "{read}");
    within(host.close()).await;
}

#[tokio::test]
async fn answer_of_too_many_values_over_http_fails_its_own_call_only() {
    for as_events in [false, true] {
        let server = Server::start(move |request| {
            if !is(request, "tools/call") || request.body["params"]["arguments"]["many"] != true {
                return None;
            }
            let many = json!({"content": [], "structuredContent": {"a": vec![0; 300_000]}});
            Some(if as_events { events(request, &[], many) } else { json_reply(request, many) })
        })
        .await;
        let client = within(McpClient::connect("s", server.client())).await.unwrap();
        let error = within(client.call_tool("echo", json!({"many": true}))).await.unwrap_err();
        says(&error, &["more than 200000 values"]);
        let echo = within(client.call_tool("echo", json!({"a": 1}))).await.unwrap();
        assert_eq!(echo, json!({"a": 1}));
        within(client.close()).await;
    }
}

#[tokio::test]
async fn number_that_would_be_rounded_fails_its_call_only() {
    for as_events in [false, true] {
        let server = Server::start(move |request| {
            let number = request.body["params"]["arguments"]["number"].as_str()?;
            let quoted = json!({"content": [], "structuredContent": {"a": ["@"]}});
            let reply =
                if as_events { events(request, &[], quoted) } else { json_reply(request, quoted) };
            Some(
                reply.map(|(status, headers, body)| {
                    (status, headers, body.replace("\"@\"", number))
                }),
            )
        })
        .await;
        let client = within(McpClient::connect("s", server.client())).await.unwrap();
        for number in ["123456789012345678901", "-9223372036854775809", "0.1234567890123456789"] {
            let call = client.call_tool("echo", json!({"number": number}));
            let error = within(call).await.unwrap_err();
            says(&error, &[number, "as a string"]);
        }
        let call = client.call_tool("echo", json!({"number": "18446744073709551615"}));
        assert_eq!(within(call).await.unwrap(), json!({"a": [u64::MAX]}));
        within(client.close()).await;
    }
}
