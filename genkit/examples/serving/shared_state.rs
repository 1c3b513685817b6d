//! State that tools share: the guide page `state`.

use genkit::{ErrorContext as _, Genkit, Result, tool};
use std::sync::Arc;

/// The database operations of the tool: a pool in the program, a fake in a test.
trait NoteStore: Send + Sync {
    fn insert(&self, text: &str) -> std::io::Result<u64>;
}

/// A connection pool that is cheap to clone, like `sqlx::PgPool`.
#[derive(Clone)]
struct Pool {
    notes: Arc<std::sync::Mutex<Vec<String>>>,
}

impl NoteStore for Pool {
    fn insert(&self, text: &str) -> std::io::Result<u64> {
        let notes = self.notes.lock();
        let mut notes = notes.map_err(|_| std::io::Error::other("poisoned"))?;
        notes.push(text.to_owned());
        Ok(notes.len() as u64)
    }
}

/// Saves a note.
#[tool(destructive = false)]
async fn save_note(
    store: &Arc<dyn NoteStore>, // by reference: state
    /// The text of the note.
    text: String, // by value: an argument
) -> Result<String> {
    let store = Arc::clone(store);
    // Run blocking code on a separate thread.
    let id = tokio::task::spawn_blocking(move || store.insert(&text))
        .await
        .context("the note store panicked")?
        .context("failed to save the note")?;
    Ok(format!("saved as {id}"))
}

#[tokio::main]
async fn main() -> Result<()> {
    let store: Arc<dyn NoteStore> = Arc::new(Pool { notes: Arc::default() });
    let genkit = Genkit::builder().state(store).build()?; // fails if state is missing
    genkit.serve_mcp().name("notes").cli().await
}
