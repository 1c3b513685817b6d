//! Tokens without a scope, tokens that expire, and changes that only some callers see.

use std::io::{BufRead as _, BufReader};
use std::time::{Duration, Instant, SystemTime};

use genkit::mcp::McpServer;
use genkit::mcp::server::{Principal, ProtectedResource, TokenError};
use genkit::{Context, Genkit, Registry, Tool, tool, tools};
use serde_json::{Value, json};
use ureq::Body;
use ureq::http::Response;

use crate::http::here::Here;
use crate::http::wire::{Wire, in_session};

/// The lifetime of the tokens in these tests.
const LIFE: Duration = Duration::from_secs(2);

/// Reads.
#[tool]
async fn look() -> &'static str {
    "seen"
}

/// Writes.
#[tool(permit = "notes:write notes:read")]
async fn write() -> &'static str {
    "written"
}

/// For the owner only.
#[tool(permit = "notes:write", tags("owner"))]
async fn own() -> &'static str {
    "owned"
}

async fn verify(token: String) -> Result<Principal, TokenError> {
    let principal = Principal::new(token.as_str());
    match token.as_str() {
        "reader" => Ok(principal.with_scopes(["profile", "notes:read"])),
        "writer" => Ok(principal.with_scopes(["notes:read", "notes:write"])),
        "short" => Ok(principal.with_expiry(SystemTime::now() + LIFE)),
        _ => Err(TokenError::invalid("nobody has it")),
    }
}

fn server(registry: &Registry) -> McpServer {
    let program = Genkit::builder().registry(registry.clone()).build().expect("a program");
    program.serve_mcp().authenticate(verify).permit(|caller, item| {
        let is_owner = caller.principal().is_some_and(|who| who.id() == "owner");
        is_owner || !item.tags().any(|tag| tag == "owner")
    })
}

fn resource() -> ProtectedResource {
    ProtectedResource::new("https://mcp.example.com/mcp")
        .with_authorization_server("https://login.example.com")
}

#[test]
fn missing_scope_is_named_in_the_challenge() {
    let registry = Registry::new().add(tools![look, write, own]);
    let here = Here::serve(server(&registry).protected_resource(resource()).router().unwrap());
    let wire = Wire::to(here.url());
    let call = |token: &str, name: &str| {
        let token = format!("Bearer {token}");
        let headers = [("authorization", token.as_str())];
        let alone = json!({ "name": name, "arguments": {} });
        let session = wire.open(&headers);
        let headers = [&in_session(&session)[..], &headers].concat();
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": alone });
        let token = [("authorization", token.as_str())];
        [wire.post(&headers, &message), wire.ask_alone_with(&token, "tools/call", alone)]
    };
    for answer in call("reader", "write") {
        assert_eq!((answer.status, answer.code()), (403, -32000), "{answer:?}");
        assert!(answer.message()["id"].is_number(), "{answer:?}");
        // The challenge includes the scopes that the client already has, so that a client that requests these scopes
        // loses none.
        let expected = "Bearer error=\"insufficient_scope\", \
            scope=\"profile notes:read notes:write\", resource_metadata=\"https://mcp.example.com\
            /.well-known/oauth-protected-resource/mcp\"";
        assert_eq!(answer.header("www-authenticate"), Some(expected));
    }
    for answer in call("writer", "write").into_iter().chain(call("reader", "look")) {
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    // An item that no scope would allow does not exist, and neither does an unknown one.
    for name in ["own", "none"] {
        for answer in call("reader", name) {
            assert_eq!(answer.code(), -32602, "{answer:?}");
            assert_eq!(answer.header("www-authenticate"), None);
        }
    }
    let hidden = resource().with_step_up(false);
    let here = Here::serve(server(&registry).protected_resource(hidden).router().unwrap());
    let token = [("authorization", "Bearer reader")];
    let call = json!({ "name": "write", "arguments": {} });
    let answer = Wire::to(here.url()).ask_alone_with(&token, "tools/call", call);
    assert_eq!(answer.code(), -32602, "{answer:?}");
}

/// Writes, found by a search.
#[tool(lazy, permit = "notes:write")]
async fn write_later() -> &'static str {
    "written"
}

#[test]
fn caller_of_a_lazy_tool_without_its_scope_receives_the_scope() {
    let registry = Registry::new().add(tools![look, write_later]);
    let server = server(&registry).tool_search().protected_resource(resource());
    let here = Here::serve(server.router().unwrap());
    let wire = Wire::to(here.url());
    let call = |token: &str, name: &str| {
        let token = format!("Bearer {token}");
        let call = json!({ "name": "call_tool", "arguments": { "name": name, "arguments": {} } });
        wire.ask_alone_with(&[("authorization", token.as_str())], "tools/call", call)
    };
    let answer = call("reader", "write_later");
    assert_eq!((answer.status, answer.code()), (403, -32000), "{answer:?}");
    let challenge = answer.header("www-authenticate").unwrap();
    assert!(challenge.contains("scope=\"profile notes:read notes:write\""), "{challenge}");
    assert_eq!(call("writer", "write_later").status, 200);
    assert_eq!(call("reader", "look").status, 200);
    assert_eq!(call("reader", "none").code(), -32602);
}

/// Reads a stream to its end. Returns its duration.
fn read_out(stream: Response<Body>) -> Duration {
    let began = Instant::now();
    let lines = BufReader::new(stream.into_body().into_reader()).lines();
    let mut ended = 0;
    for line in lines {
        line.expect("the stream ends as streams do");
        ended += 1;
    }
    assert!(ended < 100);
    began.elapsed()
}

#[test]
fn stream_does_not_outlive_its_token() {
    let registry = Registry::new().add(tools![look]);
    let here = Here::serve(server(&registry).router().unwrap());
    let wire = Wire::to(here.url());
    let short = [("authorization", "Bearer short")];
    let session = wire.open(&short);
    let named = [&in_session(&session)[..], &short].concat();
    // Otherwise it would be open as long as the client, which waits for 20 seconds.
    let standing = read_out(wire.listen_in(&named));
    let listening = read_out(wire.listen_to(&short, "note://1"));
    for open in [standing, listening] {
        assert!(open >= LIFE / 2, "the stream does not live as long as its token: {open:?}");
    }
    // With another token the session continues.
    let look = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "look", "arguments": {} },
    });
    assert_eq!(wire.post(&named, &look).status, 200);
}

fn tool_of(name: &'static str, scope: &'static str) -> Tool {
    let tool = Tool::builder(name, "A tool.").input_schema(json!({ "type": "object" }));
    let tool = if scope.is_empty() { tool } else { tool.permit(scope) };
    tool.handler(|_: Context, _: Value| async move { Ok("done") })
}

/// Returns the methods of the notifications on a stream, in order.
fn notices(stream: Response<Body>) -> impl Iterator<Item = String> {
    let lines = BufReader::new(stream.into_body().into_reader()).lines().map_while(Result::ok);
    let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
    let messages = data.filter_map(|data| serde_json::from_str::<Value>(&data).ok());
    messages.filter_map(|message| Some(message["method"].as_str()?.to_owned()))
}

#[test]
fn change_notifies_only_clients_that_can_see_it() {
    const TOOLS: &str = "notifications/tools/list_changed";
    const PROMPTS: &str = "notifications/prompts/list_changed";
    let registry = Registry::new().add(tools![look]);
    let here = Here::serve(server(&registry).router().unwrap());
    let wire = Wire::to(here.url());
    let listen = |token: &str| {
        let token = format!("Bearer {token}");
        let token = [("authorization", token.as_str())];
        let session = wire.open(&token);
        notices(wire.listen_in(&[&in_session(&session)[..], &token].concat()))
    };
    let (mut reader, mut writer) = (listen("reader"), listen("writer"));
    // A tool that only one of them may use, and then a prompt that both see.
    registry.insert(tool_of("erase", "notes:write")).expect("a tool");
    assert_eq!(writer.next().as_deref(), Some(TOOLS));
    let greet = genkit::Prompt::builder("greet", "Greets.");
    let greet = greet.handler(|_: Context, _: Value| async { Ok("Hello!") });
    registry.insert(greet).expect("a prompt");
    assert_eq!(writer.next().as_deref(), Some(PROMPTS));
    assert_eq!(reader.next().as_deref(), Some(PROMPTS), "it is not notified of the tool");
    // A tool that both see.
    registry.insert(tool_of("count", "")).expect("a tool");
    assert_eq!(writer.next().as_deref(), Some(TOOLS));
    assert_eq!(reader.next().as_deref(), Some(TOOLS));
}
