//! MCP Apps: the messages of a server and a host, checked with the schema from the extension's own package.

use std::fs;

use genkit::mcp::McpHost;
use genkit::mcp::host::ServerConfig;
use genkit::testing::Client;
use genkit::{Context, Genkit, Registry, resource, resources, tool, tools};
use serde_json::{Value, json};

use crate::packages;

const UI: &str = "io.modelcontextprotocol/ui";

/// The page of the cart.
#[resource(
    "ui://shop/cart",
    app(
        connect("https://api.example.com"),
        resources("https://*.example.com"),
        frames("https://frames.example.com"),
        base_uris("https://base.example.com"),
        permissions("camera", "microphone", "geolocation", "clipboard-write"),
        prefers_border = false,
        domain = "shop"
    )
)]
async fn cart() -> &'static str {
    "<!doctype html>"
}

/// A page without rights.
#[resource("ui://shop/help", app)]
async fn help() -> &'static str {
    "<!doctype html>"
}

/// Shows the cart.
#[tool(ui = cart)]
async fn show_cart() -> String {
    "2 apples".to_owned()
}

/// Removes an item.
#[tool(ui = cart, visibility("app"))]
async fn remove(item: u32) -> u32 {
    item
}

/// Finds items.
#[tool(visibility("model", "app"))]
async fn find(name: String) -> String {
    name
}

/// Returns what the client declares of the extension.
#[tool]
async fn declared(ctx: &Context) -> Option<Value> {
    ctx.client()?.extension(UI).cloned()
}

fn genkit() -> Genkit {
    let registry =
        Registry::new().add(tools![show_cart, remove, find, declared]).add(resources![cart, help]);
    Genkit::builder().registry(registry).build().unwrap()
}

/// Checks a value against a type of the extension.
fn check(kind: &str, value: &Value) {
    let path = packages::ext_apps("dist/src/generated/schema.json");
    let all: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let schema = json!({ "$ref": format!("#/$defs/{kind}"), "$defs": all["$defs"] });
    assert!(all["$defs"][kind].is_object(), "the package has no {kind}");
    let validator = jsonschema::validator_for(&schema).unwrap();
    let problems: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{kind}: {value}: {problems:?}");
}

#[tokio::test]
async fn server_messages_match_the_extension_types() {
    for modern in [false, true] {
        let builder = Client::builder().modern(modern);
        let builder = builder.extension(UI, json!({"mimeTypes": ["text/html;profile=mcp-app"]}));
        let client = builder.connect(genkit().serve_mcp()).await.unwrap();
        let ui = |meta: Option<&serde_json::Map<String, Value>>| Some(meta?.get("ui")?.clone());
        let tools = client.tools().await.unwrap();
        let metas: Vec<_> = tools.iter().filter_map(|tool| ui(tool.metadata())).collect();
        assert_eq!(metas.len(), 3);
        metas.iter().for_each(|meta| check("McpUiToolMeta", meta));
        let pages = client.resources().await.unwrap();
        assert_eq!(pages.len(), 2);
        for page in pages {
            check("McpUiResourceMeta", &ui(page.metadata()).unwrap());
            let read = client.read_resource(page.uri()).await.unwrap();
            check("McpUiResourceMeta", &read[0].meta()["ui"]);
        }
    }
}

#[tokio::test]
async fn host_capabilities_match_the_extension_types() {
    for apps in [true, false] {
        let server = ServerConfig::in_process(|| genkit().serve_mcp());
        let host = McpHost::builder().server("shop", server).apps(apps).build().unwrap();
        let declared = host.call_tool("shop/declared", json!({})).await.unwrap();
        assert_eq!(declared == "", !apps, "{declared}");
        if apps {
            check("McpUiClientCapabilities", &declared);
            assert_eq!(declared["mimeTypes"], json!(["text/html;profile=mcp-app"]));
        }
        host.close().await;
    }
}
