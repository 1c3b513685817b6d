//! Annotations, size and `_meta` of contents; the description of a server.

use genkit::action::ResourceContents;
use genkit::mcp::McpHost;
use genkit::mcp::host::ServerConfig;
use genkit::mcp::rmcp::{RawClient as _, RawItem as _};
use genkit::message::Annotations;
use genkit::testing::Client;
use genkit::{Context, Genkit, Part, Registry, Resource, Role, resource, resources, tool, tools};
use serde_json::json;

fn important() -> Annotations {
    Annotations::default().for_user().with_priority(0.9).with_last_modified("2026-11-27T00:00:00Z")
}

/// Draws a chart.
#[tool]
async fn chart() -> Vec<Part> {
    vec![
        Part::media("data:image/png;base64,AAAA", "image/png")
            .with_annotations(important())
            .with_mcp_meta("com.example/source", "cache"),
        Part::resource_link("note://1").with_size(42).with_annotations(important()),
    ]
}

/// A note.
#[resource("note://1")]
async fn note() -> ResourceContents {
    ResourceContents::text("hi").with_meta("com.example/page", 7)
}

fn genkit() -> Genkit {
    let listed = Resource::builder("big://1", "big", "Big.").size(1000).annotations(important());
    let listed = listed.handler(|_: Context, (): ()| async { Ok("text") });
    let registry = Registry::new().add(tools![chart]).add(resources![note]).add([listed]);
    Genkit::builder().registry(registry).build().unwrap()
}

fn expected() -> serde_json::Value {
    json!({"audience": ["user"], "priority": 0.9, "lastModified": "2026-11-27T00:00:00Z"})
}

/// Compares without the rounding of rmcp's `f32`.
fn check(annotations: &serde_json::Value) {
    let mut annotations = annotations.clone();
    let priority = annotations["priority"].as_f64().unwrap();
    assert!((priority - 0.9).abs() < 1e-6, "{annotations}");
    annotations["priority"] = json!(0.9);
    assert_eq!(annotations, expected());
}

#[tokio::test]
async fn contents_carry_annotations_size_and_meta() {
    for modern in [false, true] {
        let client = Client::builder().modern(modern).connect(genkit().serve_mcp()).await.unwrap();
        let result = client.call_tool("chart", json!({})).await.unwrap();
        let blocks = serde_json::to_value(&result.raw().content).unwrap();
        let blocks = blocks.as_array().unwrap();
        let of = |kind: &str| blocks.iter().find(|block| block["type"] == kind).unwrap();
        check(&of("image")["annotations"]);
        assert_eq!(of("image")["_meta"]["com.example/source"], "cache");
        check(&of("resource_link")["annotations"]);
        assert_eq!(of("resource_link")["size"], 42);
        let listed = client.resources().await.unwrap();
        let listed = listed.iter().find(|listed| listed.uri() == "big://1").unwrap();
        let listed = serde_json::to_value(listed.raw()).unwrap();
        assert_eq!(listed["size"], 1000);
        check(&listed["annotations"]);
        assert_eq!(listed.get("_meta"), None);
        let read = client.read_resource("note://1").await.unwrap();
        assert_eq!(read[0].meta()["com.example/page"], 7);
    }
}

#[tokio::test]
async fn host_reads_what_a_server_adds_to_its_contents() {
    let genkit = genkit();
    let server = ServerConfig::in_process(move || genkit.serve_mcp());
    let host = McpHost::builder().server("s", server).build().unwrap();
    let parts = host.call_tool("s/chart", json!({})).await.unwrap();
    let parts: Vec<Part> = serde_json::from_value(parts).unwrap();
    let image = parts.iter().find(|part| matches!(part, Part::Media { .. })).unwrap();
    let shown = image.annotations().unwrap();
    assert_eq!(shown.audience, [Role::User]);
    assert_eq!(image.mcp_meta().unwrap()["com.example/source"], "cache");
    let read = host.read_resource("note://1").await.unwrap();
    assert_eq!(read[0].meta()["com.example/page"], 7);
    // A proxy passes everything on.
    let front = Genkit::builder().registry(Registry::new()).build().unwrap();
    host.register_in(front.registry()).await;
    let client = Client::connect(front.serve_mcp().host(&host)).await.unwrap();
    let result = client.call_tool("s__chart", json!({})).await.unwrap();
    let blocks = serde_json::to_value(&result.raw().content).unwrap();
    let image = blocks.as_array().unwrap().iter().find(|block| block["type"] == "image").unwrap();
    check(&image["annotations"]);
    let listed = client.resources().await.unwrap();
    let listed = listed.iter().find(|listed| listed.uri() == "big://1").unwrap();
    assert_eq!(serde_json::to_value(listed.raw()).unwrap()["size"], 1000);
    host.close().await;
}

#[tokio::test]
async fn server_has_a_website_a_description_and_icons() {
    for modern in [false, true] {
        let server = genkit()
            .serve_mcp()
            .title("The Bank")
            .description("Accounts.")
            .website("https://bank.example.com")
            .icon("https://bank.example.com/icon.png");
        let client = Client::builder().modern(modern).connect(server).await.unwrap();
        let info = client.peer().peer_info().unwrap();
        let info = serde_json::to_value(info.server_info.clone().unwrap()).unwrap();
        assert_eq!(info["title"], "The Bank");
        assert_eq!(info["description"], "Accounts.");
        assert_eq!(info["websiteUrl"], "https://bank.example.com");
        assert_eq!(info["icons"][0]["src"], "https://bank.example.com/icon.png");
    }
}
