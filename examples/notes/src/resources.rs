//! Notes as resources.

use genkit::action::CompleteRequest;
use genkit::serde_json::{Value, json};
use genkit::{Result, resource};

use crate::store::Store;

/// A note, by number.
#[resource("note://{id}", title = "A note", mime_type = "text/plain")]
pub(crate) async fn note(store: &Store, #[arg(complete = ids)] id: i64) -> Result<String> {
    Ok(store.get(id)?.text)
}

/// The ten newest notes.
#[resource("notes://recent", title = "Recent notes", mime_type = "application/json")]
pub(crate) async fn recent(store: &Store) -> Result<Value> {
    Ok(json!(store.search("", 10)?))
}

/// A form for a new note, which clients with MCP Apps show.
#[resource("ui://notes/new", title = "New note", app)]
pub(crate) async fn new_note() -> &'static str {
    include_str!("new_note.html")
}

async fn ids(asked: CompleteRequest) -> Result<Vec<String>> {
    let notes = asked.state::<Store>()?.search("", 100)?;
    let ids = notes.into_iter().map(|note| note.id.to_string());
    Ok(ids.filter(|id| id.starts_with(asked.value())).collect())
}
