//! MCP Apps: pages and their tools, for clients with and without the extension.

use genkit::mcp::rmcp::RawClient as _;
use genkit::testing::Client;
use genkit::{Genkit, Registry, resource, resources, tool, tools};
use serde_json::{Value, json};

const UI: &str = "io.modelcontextprotocol/ui";

/// The page of the cart.
#[resource(
    "ui://shop/cart",
    app(
        connect("https://api.example.com", "wss://live.example.com"),
        resources("https://*.example.com"),
        permissions("clipboard-write", "camera"),
        prefers_border,
        domain = "shop"
    )
)]
async fn cart() -> &'static str {
    "<!doctype html><title>Cart</title>"
}

/// A page without rights.
#[resource("ui://shop/help", app)]
async fn help() -> &'static str {
    "<!doctype html><title>Help</title>"
}

/// Shows the cart.
#[tool(ui = cart)]
async fn show_cart() -> String {
    "2 apples".to_owned()
}

/// Removes an item.
#[tool(ui = cart, visibility("app"))]
async fn remove(item: u32) -> String {
    format!("removed {item}")
}

/// Finds items.
#[tool(visibility("model", "app"))]
async fn find(name: String) -> String {
    name
}

fn genkit() -> Genkit {
    let registry = Registry::new().add(tools![show_cart, remove, find]).add(resources![cart, help]);
    Genkit::builder().registry(registry).build().unwrap()
}

async fn connect(modern: bool, apps: bool) -> Client {
    let mut builder = Client::builder().modern(modern);
    if apps {
        builder = builder.extension(UI, json!({"mimeTypes": ["text/html;profile=mcp-app"]}));
    }
    builder.connect(genkit().serve_mcp()).await.unwrap()
}

fn rights() -> Value {
    json!({
        "csp": {
            "connectDomains": ["https://api.example.com", "wss://live.example.com"],
            "resourceDomains": ["https://*.example.com"],
        },
        "permissions": {"clipboardWrite": {}, "camera": {}},
        "prefersBorder": true,
        "domain": "shop",
    })
}

#[tokio::test]
async fn client_with_apps_gets_the_pages_and_the_tools_of_pages() {
    for modern in [false, true] {
        let client = connect(modern, true).await;
        let tools = client.tools().await.unwrap();
        let ui = |name: &str| {
            let tool = tools.iter().find(|tool| tool.name() == name).unwrap();
            tool.metadata().unwrap()["ui"].clone()
        };
        assert_eq!(ui("show_cart"), json!({"resourceUri": "ui://shop/cart"}));
        assert_eq!(ui("remove"), json!({"resourceUri": "ui://shop/cart", "visibility": ["app"]}));
        assert_eq!(ui("find"), json!({"visibility": ["model", "app"]}));
        let listed = client.resources().await.unwrap();
        let page = listed.iter().find(|listed| listed.uri() == "ui://shop/cart").unwrap();
        assert_eq!(page.mime_type(), Some("text/html;profile=mcp-app"));
        assert_eq!(page.metadata().unwrap()["ui"], rights());
        let read = client.read_resource("ui://shop/cart").await.unwrap();
        assert_eq!(read[0].mime_type(), Some("text/html;profile=mcp-app"));
        assert_eq!(read[0].meta()["ui"], rights());
        let read = client.read_resource("ui://shop/help").await.unwrap();
        assert_eq!(read[0].meta()["ui"], json!({}));
        let info = serde_json::to_value(client.peer().peer_info().unwrap().capabilities.clone());
        let declared = &info.unwrap()["extensions"][UI];
        assert_eq!(declared["mimeTypes"], json!(["text/html;profile=mcp-app"]));
    }
}

#[tokio::test]
async fn client_without_apps_gets_text_and_no_tools_of_pages() {
    for modern in [false, true] {
        let client = connect(modern, false).await;
        let names: Vec<_> =
            client.tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect();
        assert_eq!(names, ["find", "show_cart"]);
        assert_eq!(client.call_tool("show_cart", json!({})).await.unwrap().text(), "2 apples");
    }
}

#[tokio::test]
async fn client_that_shows_other_kinds_of_pages_only_gets_no_tools_of_pages() {
    let builder = Client::builder().extension(UI, json!({"mimeTypes": ["text/x-other"]}));
    let client = builder.connect(genkit().serve_mcp()).await.unwrap();
    assert_eq!(client.tools().await.unwrap().len(), 2);
}

#[tokio::test]
async fn server_without_pages_does_not_declare_the_extension() {
    let registry = Registry::new().add(tools![find]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = Client::connect(genkit.serve_mcp()).await.unwrap();
    let info =
        serde_json::to_value(client.peer().peer_info().unwrap().capabilities.clone()).unwrap();
    assert!(info["extensions"].get(UI).is_none());
}
