//! Tool search of a server: lazy tools are not listed, but found and called, with all checks of a direct call.

use std::sync::{Arc, Mutex};

use genkit::mcp::McpServer;
use genkit::mcp::server::{ApprovalFallback, NextRequest, Principal, ServedRequest, on_request};
use genkit::testing::Client;
use genkit::{Context, ErrorKind, Genkit, Registry, Tool, tool, tools};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::logged::Log;

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Lists the open issues of a project.
#[tool(lazy)]
async fn list_issues(
    /// The name of the project.
    project: String,
) -> Vec<String> {
    vec![format!("{project}#1")]
}

/// Closes an issue.
#[tool(lazy, needs_approval)]
async fn close_issue(number: u32) -> String {
    format!("closed {number}")
}

/// Wipes all issues.
#[tool(lazy, permit = "admin")]
async fn wipe_issues() -> &'static str {
    "wiped"
}

fn server() -> McpServer {
    let registry = Registry::new().add(tools![add, list_issues, close_issue, wipe_issues]);
    Genkit::builder().registry(registry).build().unwrap().serve_mcp().tool_search()
}

async fn connect(modern: bool, server: McpServer) -> Client {
    Client::builder().modern(modern).connect(server).await.unwrap()
}

async fn names(client: &Client) -> Vec<String> {
    client.tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect()
}

async fn search(client: &Client, input: Value) -> Value {
    let found = client.call_tool("search_tools", input).await.unwrap();
    found.structured().cloned().unwrap_or_else(|| found.text().into())
}

/// Returns the names of the tools that a search returns.
fn found(result: &Value) -> Vec<&str> {
    let tools = result["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

#[tokio::test]
async fn lazy_tools_are_found_and_called_but_not_listed() {
    for modern in [false, true] {
        let client = connect(modern, server()).await;
        assert_eq!(names(&client).await, ["add", "call_tool", "search_tools"]);

        let result = search(&client, json!({"query": "open issues of a project"})).await;
        assert_eq!(found(&result)[0], "list_issues");
        let schema = &result["tools"][0]["inputSchema"];
        assert_eq!(schema["properties"]["project"]["description"], "The name of the project.");
        assert_eq!(result["tools"][0]["description"], "Lists the open issues of a project.");

        let arguments = json!({"project": "genkit"});
        let through = client.call_tool("call_tool", call("list_issues", arguments.clone()));
        let through = through.await.unwrap();
        let direct = client.call_tool("list_issues", arguments.clone()).await.unwrap();
        assert_eq!((through.text(), through.structured()), (direct.text(), direct.structured()));
        // Some models write the arguments as text.
        let text = call("list_issues", arguments.to_string().into());
        assert_eq!(client.call_tool("call_tool", text).await.unwrap().text(), direct.text());
    }
}

#[tokio::test]
async fn description_of_the_search_names_few_tools_and_groups_many() {
    let client = connect(false, server()).await;
    let tools = client.tools().await.unwrap();
    let about = |tools: &[genkit::mcp::rmcp::model::Tool]| {
        let search = tools.iter().find(|tool| tool.name == "search_tools").unwrap();
        search.description.clone().unwrap().into_owned()
    };
    let raw = |tools: Vec<genkit::testing::ListedTool>| -> Vec<_> {
        use genkit::mcp::rmcp::RawItem as _;
        tools.iter().map(|tool| tool.raw().clone()).collect()
    };
    let few = about(&raw(tools));
    assert!(
        few.contains("Number of tools: 3. They are: close_issue, list_issues, wipe_issues."),
        "{few}"
    );

    let many = (0..300).map(|n| {
        let builder = Tool::builder(format!("shop__item_{n}"), "Sells it.").lazy(true);
        builder.handler(|_: Context, (): ()| async { Ok("sold") })
    });
    let registry = Registry::new().add(many.collect::<Vec<_>>());
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = connect(false, genkit.serve_mcp().tool_search()).await;
    let tools = raw(client.tools().await.unwrap());
    assert_eq!(tools.len(), 2);
    let many = about(&tools);
    assert!(many.contains("Number of tools: 300. Groups: shop (300)."), "{many}");
    let result = search(&client, json!({"query": "item 7"})).await;
    assert_eq!(found(&result).len(), 8);
    assert_eq!(result["alsoFits"].as_array().unwrap().len(), 32);
}

#[tokio::test]
async fn tools_without_permission_are_neither_found_nor_called() {
    for modern in [false, true] {
        let client = connect(modern, server().extension(Principal::new("bo"))).await;
        let result =
            search(&client, json!({"query": "wipe issues", "names": ["wipe_issues"]})).await;
        assert!(!found(&result).contains(&"wipe_issues"), "{result}");
        assert!(result["unknown"][0].as_str().unwrap().contains("Unknown tool"), "{result}");
        let direct = client.call_tool("wipe_issues", json!({})).await.unwrap_err();
        let through = client.call_tool("call_tool", call("wipe_issues", json!({}))).await;
        assert_eq!(through.unwrap_err().to_string(), direct.to_string());

        let admin = Principal::new("ada").with_scopes(["admin"]);
        let client = connect(modern, server().extension(admin)).await;
        let result = search(&client, json!({"query": "wipe"})).await;
        assert_eq!(found(&result)[0], "wipe_issues");
        let wiped = client.call_tool("call_tool", call("wipe_issues", json!({}))).await.unwrap();
        assert_eq!(wiped.text(), "wiped");
    }
}

#[tokio::test]
async fn client_without_access_to_a_lazy_tool_is_not_listed_a_search() {
    let server = || server().only(["add", "wipe_*"]).extension(Principal::new("bo"));
    let client = connect(false, server()).await;
    assert_eq!(names(&client).await, ["add"]);
    for name in ["search_tools", "call_tool"] {
        let error = client.call_tool(name, json!({"query": "wipe"})).await.unwrap_err();
        assert!(error.to_string().contains("Unknown tool"), "{error}");
    }
}

#[tokio::test]
async fn approval_is_asked_for_the_tool_that_is_called() {
    for modern in [false, true] {
        for says_yes in [false, true] {
            let asked = Arc::new(Mutex::new(Vec::new()));
            let heard = Arc::clone(&asked);
            let builder = Client::builder().modern(modern).on_elicit(move |message, _| {
                heard.lock().unwrap().push(message.to_owned());
                says_yes.then(|| json!({}))
            });
            let client = builder.connect(server()).await.unwrap();
            let closed = client.call_tool("call_tool", call("close_issue", json!({"number": 7})));
            let closed = closed.await.unwrap();
            assert_eq!(closed.is_error(), !says_yes, "{}", closed.text());
            assert_eq!(closed.text() == "closed 7", says_yes);
            let asked = asked.lock().unwrap();
            assert_eq!(*asked, [r#"Allow `close_issue` to run with {"number":7}?"#]);
        }
        // A client that cannot ask its user.
        let client = connect(modern, server()).await;
        let input = call("close_issue", json!({"number": 7}));
        let refused = client.call_tool("call_tool", input.clone()).await;
        assert!(refused.is_err() || refused.unwrap().is_error());
        let trusting = server().approval_fallback(ApprovalFallback::TrustClient);
        let client = connect(modern, trusting).await;
        assert_eq!(client.call_tool("call_tool", input).await.unwrap().text(), "closed 7");
    }
}

#[tokio::test]
async fn arguments_are_checked_like_those_of_a_direct_call() {
    let client = connect(false, server()).await;
    let direct = client.call_tool("list_issues", json!({"project": 7})).await.unwrap();
    let input = call("list_issues", json!({"project": 7}));
    let through = client.call_tool("call_tool", input).await.unwrap();
    assert!(through.is_error());
    assert_eq!(through.text(), direct.text());

    for (input, expected) in [
        (json!({}), "name"),
        (json!({"name": 7}), "name"),
        (json!({"name": "list_issues", "arguments": [1]}), "arguments"),
        (call("call_tool", call("list_issues", json!({}))), "cannot call itself"),
    ] {
        let failed = client.call_tool("call_tool", input.clone()).await.unwrap();
        assert!(failed.is_error(), "{input}");
        assert!(failed.text().contains(expected), "{input}: {}", failed.text());
    }
    let failed = client.call_tool("search_tools", json!({"query": " "})).await.unwrap();
    assert!(failed.is_error() && failed.text().contains("pass a `query`"), "{}", failed.text());
    let error = client.call_tool("call_tool", call("list_issue", json!({}))).await.unwrap_err();
    assert!(error.to_string().contains("list_issues"), "{error}");
}

#[tokio::test]
async fn middleware_and_audit_log_see_the_tool_that_is_called() {
    let (log, _guard) = Log::listening();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    let hears = on_request(move |request: ServedRequest, next: NextRequest| {
        heard.lock().unwrap().push(request.name().to_owned());
        next.run()
    });
    let client = connect(false, server().middleware(hears)).await;
    let input = call("list_issues", json!({"project": "a"}));
    client.call_tool("call_tool", input).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["list_issues"]);
    let events = log.take("genkit::audit ");
    assert_eq!(events.len(), 1);
    assert!(events[0].contains("list_issues") && !events[0].contains("call_tool"), "{events:?}");
}

#[tokio::test]
async fn names_of_the_two_tools_are_reserved() {
    let own = Tool::builder("call_tool", "Mine.");
    let own = own.handler(|_: Context, (): ()| async { Ok("mine") });
    let registry = Registry::new().add([own]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let error = Client::connect(genkit.serve_mcp().tool_search()).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(error.to_string().contains("`call_tool` is reserved by `.tool_search()`"), "{error}");
    let client = connect(false, genkit.serve_mcp()).await;
    assert_eq!(names(&client).await, ["call_tool"]);
}

#[tokio::test]
async fn server_without_a_search_lists_lazy_tools() {
    let registry = Registry::new().add(tools![add, list_issues]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = connect(false, genkit.serve_mcp()).await;
    assert_eq!(names(&client).await, ["add", "list_issues"]);
    assert!(client.call_tool("search_tools", json!({"query": "issues"})).await.is_err());
}

/// Returns the names of the tools that are listed to a client with this name.
async fn listed_to(client: &str) -> Vec<String> {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(ours);
    let serving = tokio::spawn(server().serve(read, write));
    let (read, mut write) = tokio::io::split(theirs);
    let mut lines = BufReader::new(read).lines();
    let info = json!({"name": client, "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ] {
        write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let listed = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == 2 {
            break message;
        }
    };
    serving.abort();
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn clients_with_their_own_search_are_listed_all_tools() {
    assert_eq!(listed_to("claude-code").await, ["add", "close_issue", "list_issues"]);
    assert_eq!(listed_to("cursor-vscode").await, ["add", "call_tool", "search_tools"]);
}
