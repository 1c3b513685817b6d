//! Resources and a resource template.

use genkit::resource;
use genkit::serde_json::{Value, json};

use crate::content::PNG;

/// A static text.
#[resource("test://static-text", mime_type = "text/plain")]
async fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// A static image.
#[resource("test://static-binary", mime_type = "image/png")]
async fn static_binary() -> Vec<u8> {
    PNG.to_vec()
}

/// Data by id.
#[resource("test://template/{id}/data", mime_type = "application/json")]
async fn template_data(id: String) -> Value {
    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") })
}

/// Text that clients can subscribe to.
#[resource("test://watched-resource", mime_type = "text/plain")]
async fn watched() -> &'static str {
    "watched"
}
