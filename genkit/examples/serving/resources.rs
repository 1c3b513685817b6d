//! Serves notes as resources: the guide page `resources`.

use std::collections::BTreeMap;

use genkit::action::{CompleteRequest, ResourceContents};
use genkit::{Error, Result, resource};

/// The notes of the program, by name.
struct Notes(BTreeMap<String, String>);

/// Lists the names of all notes.
#[resource("notes://all", title = "All notes")]
async fn all_notes(notes: &Notes) -> Result<ResourceContents> {
    ResourceContents::json(&notes.0.keys().collect::<Vec<_>>())
}

/// Returns a note.
#[resource("note://{name}", title = "A note", mime_type = "text/plain")]
async fn note(notes: &Notes, #[arg(complete = names)] name: String) -> Result<String> {
    let text = notes.0.get(&name);
    text.cloned().ok_or_else(|| Error::not_found(format!("no note `{name}`")))
}

/// Completes the name of a note. A completion function takes only the request, which provides the state.
async fn names(asked: CompleteRequest) -> Result<Vec<String>> {
    let names = asked.state::<Notes>()?.0.keys();
    Ok(names.filter(|name| name.starts_with(asked.value())).cloned().collect())
}

#[tokio::main]
async fn main() -> Result<()> {
    let notes = [("milk", "Buy milk."), ("tax", "Pay the tax.")];
    let notes = notes.map(|(name, text)| (name.to_owned(), text.to_owned()));
    genkit::serve_mcp().name("notes").state(Notes(notes.into())).cli().await
}
