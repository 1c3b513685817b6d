//! Resources and templates.

use genkit::action::ResourceContents;
use genkit::testing::Client;
use genkit::{Error, Result, resource, resources};
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
    let result = client.read(uri).await.unwrap_or_else(|e| panic!("{uri}: {e}"));
    serde_json::to_value(result).unwrap()["contents"].take()
}

#[tokio::test]
async fn addresses_find_their_function() {
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
async fn pieces_keep_their_own_address_and_type() {
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
async fn what_is_not_there_is_not_found_by_era() {
    for (builder, code) in [(Client::builder(), -32002), (Client::builder().modern(), -32602)] {
        let server = serving(resources![index, page]);
        let client = builder.connect(server).await.unwrap();
        for uri in ["doc://nowhere", "doc://pages/10", "doc://pages/x", "doc://pages/1/2"] {
            let error = client.read(uri).await.unwrap_err();
            assert!(error.to_string().starts_with(&format!("{code}: ")), "{uri}: {error}");
            assert_eq!(error.details().unwrap()["uri"], uri);
        }
    }
}
