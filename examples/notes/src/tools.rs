//! The tools for notes.

use genkit::context::Progress;
use genkit::{Context, Error, Result, ToolReply, tool};

use crate::resources::new_note;
use crate::store::{Note, Store};

/// Saves a note.
#[tool(title = "Add a note", destructive = false, ui = new_note)]
pub(crate) async fn add_note(
    ctx: &Context,
    store: &Store,
    /// The text of the note.
    text: String,
    /// The topic of the note, in one word.
    #[arg(default)]
    topic: String,
) -> Result<Note> {
    if text.trim().is_empty() {
        return Err(Error::invalid_argument("a note needs text"));
    }
    let note = store.add(text.trim(), topic.trim())?;
    ctx.resource_updated("notes://recent");
    Ok(note)
}

/// Finds notes by a word in their text or topic, newest first. An empty word finds all notes.
#[tool(title = "Search notes", read_only)]
pub(crate) async fn search_notes(
    store: &Store,
    /// The word to look for.
    #[arg(default)]
    query: String,
    /// The maximum number of notes.
    #[arg(default = 20)]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
) -> Result<ToolReply<Vec<Note>>> {
    let notes = store.search(&query, limit.clamp(1, 100))?;
    let lines: Vec<String> = notes.iter().map(|n| format!("{}: {}", n.id, n.text)).collect();
    let text = if lines.is_empty() { "no notes found".to_owned() } else { lines.join("\n") };
    Ok(ToolReply::new(notes).with_text(text))
}

/// Deletes a note permanently, after the user approves.
#[tool(title = "Delete a note", destructive, idempotent = false, needs_approval)]
pub(crate) async fn delete_note(
    ctx: &Context,
    store: &Store,
    /// The number of the note.
    id: i64,
) -> Result<Note> {
    let note = store.delete(id)?;
    ctx.resource_updated("notes://recent");
    ctx.resource_updated(format!("note://{id}"));
    Ok(note)
}

/// Saves several notes and reports progress.
#[tool(title = "Import notes", destructive = false, timeout = "5m")]
pub(crate) async fn import_notes(
    ctx: &Context,
    store: &Store,
    /// The text of the notes, one per note.
    texts: Vec<String>,
    /// The topic of the notes, in one word.
    #[arg(default)]
    topic: String,
) -> Result<usize> {
    let total = texts.len();
    for (done, text) in texts.iter().enumerate() {
        store.add(text.trim(), topic.trim())?;
        let progress = Progress::new((done + 1) as f64).with_total(total as f64);
        ctx.progress(progress.with_message(format!("{} of {total}", done + 1))).await;
    }
    ctx.resource_updated("notes://recent");
    Ok(total)
}
