//! Resources and templates.

use genkit::action::ResourceContents;
use genkit::mcp::rmcp::RawClient as _;
use genkit::model::ModelResponse;
use genkit::testing::Client;
use genkit::testing::ScriptedModel;
use genkit::{
    Context, Error, Genkit, Part, Registry, Resource, Result, resource, resources, tool, tools,
};
use serde_json::{Value, json};

use crate::serving;

/// Fixed.
#[resource("doc://index", mime_type = "text/markdown")]
async fn index() -> &'static str {
    "# Index"
}

/// By number.
#[resource("doc://pages/{n}")]
async fn page(n: u32) -> Result<String> {
    if n > 9 { Err(Error::not_found(format!("no page {n}"))) } else { Ok(format!("page {n}")) }
}

/// By path.
#[resource("doc://files/{+path}")]
async fn file(path: String) -> String {
    path
}

/// Found by words.
#[resource("doc://search{?q,limit}")]
async fn search(q: String, limit: Option<u8>) -> Value {
    json!({"q": q, "limit": limit})
}

/// Several pieces.
#[resource("doc://bundle")]
async fn bundle() -> Result<Vec<ResourceContents>> {
    Ok(vec![
        ResourceContents::bytes([1, 2]).with_uri("doc://bundle/a"),
        ResourceContents::json(&[1])?,
    ])
}

async fn client() -> Client {
    Client::connect(serving(resources![index, page, file, search, bundle])).await.unwrap()
}

async fn read(client: &Client, uri: &str) -> Value {
    let result = client.raw_resource(uri).await.unwrap_or_else(|e| panic!("{uri}: {e}"));
    serde_json::to_value(result).unwrap()["contents"].take()
}

#[tokio::test]
async fn resource_uri_selects_its_function() {
    let client = client().await;
    let index = json!([{"uri": "doc://index", "mimeType": "text/markdown", "text": "# Index"}]);
    assert_eq!(read(&client, "doc://index").await, index);
    assert_eq!(read(&client, "doc://pages/7").await[0]["text"], "page 7");
    assert_eq!(read(&client, "doc://files/a/b%20c.txt").await[0]["text"], "a/b c.txt");
    let found = read(&client, "doc://search?limit=3&q=two%20words").await;
    assert_eq!(found[0]["text"], r#"{"q":"two words","limit":3}"#);
    assert_eq!(found[0]["mimeType"], "application/json");
}

#[tokio::test]
async fn content_pieces_keep_their_uri_and_media_type() {
    let pieces = read(&client().await, "doc://bundle").await;
    assert_eq!(
        pieces,
        json!([
            {"uri": "doc://bundle/a", "mimeType": "application/octet-stream", "blob": "AQI="},
            {"uri": "doc://bundle", "mimeType": "application/json", "text": "[1]"}
        ])
    );
}

#[tokio::test]
async fn test_reads_text_and_bytes() {
    let pieces = client().await.read_resource("doc://bundle").await.unwrap();
    assert_eq!((pieces[0].as_bytes(), pieces[0].as_text()), (&[1, 2][..], None));
    assert_eq!(pieces[1].as_text(), Some("[1]"));
}

/// Says where it was read.
#[resource("here://{+place}")]
async fn here(ctx: &Context, place: String) -> String {
    format!("{place} at {}", ctx.uri().unwrap_or("nowhere"))
}

/// Says where it is called.
#[tool]
async fn nowhere(ctx: &Context) -> bool {
    ctx.uri().is_none()
}

#[tokio::test]
async fn resource_knows_the_uri_that_is_read() {
    let dynamic = Resource::builder("there://{n}", "there", "By number.").handler(
        |ctx: Context, _: Value| async move { Ok(ctx.uri().unwrap_or_default().to_owned()) },
    );
    let registry = Registry::new().add(resources![here]).add([dynamic]).add(tools![nowhere]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    for builder in [Client::builder(), Client::builder().modern(true)] {
        let client = builder.connect(genkit.serve_mcp()).await.unwrap();
        let read = client.read_resource("here://a/b%20c").await.unwrap();
        assert_eq!(read[0].as_text(), Some("a/b c at here://a/b%20c"));
        let read = client.read_resource("there://7").await.unwrap();
        assert_eq!(read[0].as_text(), Some("there://7"));
        assert_eq!(client.call_tool("nowhere", json!({})).await.unwrap().text(), "true");
    }
    // The same applies if the agent loop reads the resource.
    let model = ScriptedModel::new([ModelResponse::from_text("done")]);
    genkit.generate(Part::resource_link("here://x")).model(model.clone()).await.unwrap();
    assert_eq!(model.requests()[0].messages[0].text(), "x at here://x");
}

#[tokio::test]
async fn resource_name_may_be_any_single_line() {
    let named = |name: &str| {
        Resource::builder("doc://1", name.to_owned(), "A document.")
            .handler(|_: Context, (): ()| async { Ok("text") })
    };
    let long = "x".repeat(256);
    for name in ["Report (3rd quarter).pdf", "Übersicht", "a/b", &long] {
        let client = Client::connect(serving([named(name)])).await.unwrap();
        assert_eq!(client.resources().await.unwrap()[0].name(), name);
    }
    for name in ["", " ", "two\nlines", &format!("{long}x")] {
        let error = Registry::new().add([named(name)]).check().unwrap_err();
        assert!(error.to_string().contains("a resource name must be"), "{name:?}: {error}");
    }
}

#[tokio::test]
async fn missing_resource_error_depends_on_the_era() {
    for (builder, code) in [(Client::builder(), -32002), (Client::builder().modern(true), -32602)] {
        let server = serving(resources![index, page]);
        let client = builder.connect(server).await.unwrap();
        for uri in ["doc://nowhere", "doc://pages/10", "doc://pages/x", "doc://pages/1/2"] {
            let error = client.read_resource(uri).await.unwrap_err();
            assert!(error.to_string().starts_with(&format!("{code}: ")), "{uri}: {error}");
            assert_eq!(error.details().unwrap()["uri"], uri);
        }
    }
}
