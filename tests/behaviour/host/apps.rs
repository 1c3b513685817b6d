//! MCP Apps: which tools a model may use, the pages of a response, and the calls of pages.

use genkit::mcp::McpHost;
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::{Client, ScriptedModel};
use genkit::{ErrorKind, Genkit, Registry};
use serde_json::{Value, json};

use super::host;
use super::hostile::{answer, by_hand, text};
use genkit::mcp::rmcp::{self, peer_tools};

/// Returns a server whose tools are visible to the model, to the app, or to both.
fn shop() -> genkit::mcp::host::CustomTransport {
    by_hand(json!({"tools": {}}), |message, say| {
        let tool = |name: &str, ui: Value| json!({"name": name, "inputSchema": {"type": "object"}, "_meta": {"ui": ui}});
        let result = match message["method"].as_str() {
            Some("tools/list") => json!({"tools": [
                tool("plain", json!({})),
                tool("both", json!({"visibility": ["model", "app"]})),
                tool("app-only", json!({"visibility": ["app"]})),
                tool("nobody", json!({"visibility": []})),
                tool("odd", json!({"visibility": {"model": true}})),
            ]}),
            Some("tools/call") => text(message["params"]["name"].as_str().unwrap_or_default()),
            _ => return,
        };
        let _ = say.send(answer(message, result));
    })
}

#[tokio::test]
async fn model_is_not_offered_the_tools_of_an_app() {
    let host = host(shop());
    let names = |tools: Vec<genkit::Tool>| -> Vec<String> {
        tools.iter().map(|tool| tool.name().to_owned()).collect()
    };
    assert_eq!(names(host.tools().await.unwrap()), ["s/plain", "s/both"]);
    // A filter cannot include them again.
    let chosen = host.tools().only(["s/app-only", "s/both"]).await.unwrap();
    assert_eq!(names(chosen), ["s/both"]);
    let client = host.client("s").unwrap();
    assert_eq!(names(client.tools().await.unwrap()), ["plain", "both"]);
    assert_eq!(names(client.namespaced_tools().await.unwrap()), ["s/plain", "s/both"]);
    let peer = rmcp::peer(&client).await.unwrap();
    assert_eq!(names(peer_tools([peer.clone()]).await.unwrap()), ["plain", "both"]);
    let listed = peer.list_all_tools().await.unwrap();
    let definitions = rmcp::tool_definitions(&listed);
    assert_eq!(definitions.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["plain", "both"]);
    host.close().await;
}

#[tokio::test]
async fn proxy_passes_the_tools_of_an_app_on_to_the_host_of_its_client() {
    let host = host(shop());
    let front = Genkit::builder().registry(Registry::new()).build().unwrap();
    host.register_in(front.registry()).await;
    let client = Client::builder()
        .extension("io.modelcontextprotocol/ui", json!({}))
        .connect(front.serve_mcp().host(&host))
        .await
        .unwrap();
    let tools = client.tools().await.unwrap();
    assert_eq!(tools.len(), 5);
    let app = tools.iter().find(|tool| tool.name().ends_with("app-only")).unwrap();
    assert_eq!(app.metadata().unwrap()["ui"]["visibility"], json!(["app"]));
    host.close().await;
}

/// Returns a server with one page at `ui://cart`, named after the server.
fn with_page(name: &'static str) -> genkit::mcp::host::CustomTransport {
    by_hand(json!({"tools": {}, "resources": {}}), move |message, say| {
        let tool = |name: &str, ui: Value| json!({"name": name, "inputSchema": {"type": "object"}, "_meta": {"ui": ui}});
        let result = match message["method"].as_str() {
            Some("tools/list") => json!({"tools": [
                tool("show", json!({"resourceUri": "ui://cart"})),
                json!({"name": "old", "inputSchema": {"type": "object"}, "_meta": {"ui/resourceUri": "ui://cart"}}),
                tool("remove", json!({"visibility": ["app"]})),
                tool("secret", json!({"visibility": ["model"]})),
                tool("elsewhere", json!({"resourceUri": "https://evil.example/page"})),
                tool("huge", json!({"resourceUri": "ui://huge"})),
                tool("text", json!({"resourceUri": "ui://text"})),
            ]}),
            Some("resources/list") => json!({"resources": [
                {"uri": "ui://cart", "name": "cart", "mimeType": "text/html;profile=mcp-app"},
            ]}),
            Some("resources/templates/list") => json!({"resourceTemplates": []}),
            Some("resources/read") => {
                let html = match message["params"]["uri"].as_str() {
                    Some("ui://cart") => format!("<title>{name}</title>"),
                    Some("ui://huge") => "x".repeat(5 * 1024 * 1024),
                    _ => String::new(),
                };
                let kind = if message["params"]["uri"] == "ui://text" {
                    "text/plain"
                } else {
                    "text/html;profile=mcp-app"
                };
                json!({"contents": [{
                    "uri": message["params"]["uri"], "mimeType": kind, "text": html,
                    "_meta": {"ui": {"csp": {"connectDomains": ["https://a.example", "*; x"]}}},
                }]})
            }
            Some("tools/call") => text(&format!("{name} {}", message["params"]["name"])),
            _ => return,
        };
        let _ = say.send(answer(message, result));
    })
}

/// Lets a model call these tools.
async fn run(host: &McpHost, calls: &[&str]) -> genkit::GenerateResponse {
    let requests = calls.iter().map(|name| ToolRequest::new(*name, json!({})));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests(requests.collect::<Vec<_>>()),
        ModelResponse::from_text("Done."),
    ]);
    genkit::generate("Go.").model(model).tools(host.tools()).await.unwrap()
}

fn two() -> McpHost {
    let builder = McpHost::builder().server("a", with_page("a")).server("b", with_page("b"));
    builder.apps(true).build().unwrap()
}

#[tokio::test]
async fn pages_of_a_response_belong_to_their_servers() {
    let host = two();
    let response = run(&host, &["b/show", "a/old", "a/secret"]).await;
    let pages = host.apps(&response).await.unwrap();
    let found: Vec<_> = pages.iter().map(|page| (page.server(), page.html(), page.uri())).collect();
    let expected = [("b", "<title>b</title>", "ui://cart"), ("a", "<title>a</title>", "ui://cart")];
    assert_eq!(found, expected);
    assert_eq!(pages[0].tool_request().name, "b/show");
    assert_eq!(pages[0].tool_response().output, "b \"show\"");
    assert_eq!(pages[0].rights().connect, ["https://a.example"]);
    // A host that shows no pages does not read them.
    let plain = McpHost::builder().server("a", with_page("a")).build().unwrap();
    let response = run(&plain, &["a/show"]).await;
    assert!(plain.apps(&response).await.unwrap().is_empty());
}

#[tokio::test]
async fn page_calls_only_the_tools_that_its_own_server_gives_to_pages() {
    let host = two();
    let response = run(&host, &["a/show"]).await;
    let page = &host.apps(&response).await.unwrap()[0];
    let result = host.call_app_tool(page, "remove", json!({})).await.unwrap();
    assert_eq!(result["content"][0]["text"], "a \"remove\"");
    host.call_app_tool(page, "show", json!({})).await.unwrap();
    for other in ["secret", "b/remove", "a/remove", "unknown", ""] {
        let error = host.call_app_tool(page, other, json!({})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{other}: {error}");
    }
    let careful = with_page("c").needs_approval(["remove"]);
    let careful = McpHost::builder().server("c", careful).apps(true).build().unwrap();
    let response = run(&careful, &["c/show"]).await;
    let page = &careful.apps(&response).await.unwrap()[0];
    let error = careful.call_app_tool(page, "remove", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("needs the user's approval"), "{error}");
}

#[tokio::test]
async fn page_that_is_not_a_page_is_an_error() {
    let host = two();
    for (tool, expected) in [
        ("a/elsewhere", "does not start with `ui://`"),
        ("a/huge", "the limit is"),
        ("a/text", "no HTML"),
    ] {
        let response = run(&host, &[tool]).await;
        let error = host.apps(&response).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // The pages of other calls are still there.
    let response = run(&host, &["a/huge", "b/show", "a/elsewhere", "a/show"]).await;
    let pages = host.apps(&response).await.unwrap();
    assert_eq!(pages.iter().map(|page| page.server()).collect::<Vec<_>>(), ["b", "a"]);
}

/// Programs display icons, so an icon from a server must not load or run anything else.
#[tokio::test]
async fn icons_are_images_or_pages_of_the_web() {
    let server = by_hand(json!({"tools": {}}), |message, say| {
        let sources = [
            "https://a.example/i.png",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "http://169.254.169.254/",
            "https://a.example/\u{202e}gnp.exe",
            "data:text/html,x",
            "data:image/png;base64,aGk=",
        ];
        let icons: Vec<Value> = sources.iter().map(|src| json!({ "src": src })).collect();
        let icons: Vec<Value> = std::iter::repeat_n(icons, 9).flatten().collect();
        if message["method"] == "tools/list" {
            let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "icons": icons});
            let _ = say.send(answer(message, json!({ "tools": [tool] })));
        }
    });
    let host = host(server);
    let tools = host.tools().await.unwrap();
    let icons: Vec<&str> = tools[0].icons().collect();
    assert_eq!(icons.len(), 8);
    assert!(icons.iter().all(|it| it.ends_with("/i.png") || it.starts_with("data:image/")));
    host.close().await;
}

#[tokio::test]
async fn proxy_keeps_the_pages_of_its_servers_apart() {
    let host = two();
    let front = Genkit::builder().registry(Registry::new()).build().unwrap();
    host.register_in(front.registry()).await;
    let client = Client::builder()
        .extension("io.modelcontextprotocol/ui", json!({}))
        .connect(front.serve_mcp().host(&host))
        .await
        .unwrap();
    let tools = client.tools().await.unwrap();
    for key in ["a", "b"] {
        let tool = tools.iter().find(|tool| tool.name() == format!("{key}__show")).unwrap();
        let uri = tool.metadata().unwrap()["ui"]["resourceUri"].as_str().unwrap().to_owned();
        assert_eq!(uri, format!("ui://{key}/cart"));
        let read = client.read_resource(&uri).await.unwrap();
        assert_eq!(read[0].as_text(), Some(format!("<title>{key}</title>").as_str()));
    }
    // A client that shows no pages does not see their tools.
    let plain = Client::connect(front.serve_mcp().host(&host)).await.unwrap();
    let names: Vec<_> =
        plain.tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect();
    assert!(!names.contains(&"a__remove".to_owned()) && names.contains(&"a__show".to_owned()));
    host.close().await;
}
