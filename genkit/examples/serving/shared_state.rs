//! State that tools share: the page `state` of the guide.

use genkit::{ErrorContext as _, Genkit, Result, tool};
use std::sync::Arc;

/// What a tool needs of a database: a real pool in the program, a fake in a test.
trait NoteStore: Send + Sync {
    fn insert(&self, text: &str) -> std::io::Result<u64>;
}

/// A connection pool: cheap to clone, like `sqlx::PgPool`.
#[derive(Clone)]
struct Pool {
    notes: Arc<std::sync::Mutex<Vec<String>>>,
}

impl NoteStore for Pool {
    fn insert(&self, text: &str) -> std::io::Result<u64> {
        let mut notes = self.notes.lock().map_err(|_| std::io::Error::other("poisoned"))?;
        notes.push(text.to_owned());
        Ok(notes.len() as u64)
    }
}

/// Saves a note.
#[tool(destructive = false)]
async fn save_note(
    store: &Arc<dyn NoteStore>, // by reference: state
    /// What the note says.
    text: String, // by value: an argument
) -> Result<String> {
    let store = Arc::clone(store);
    // What blocks goes to a thread of its own.
    let id = tokio::task::spawn_blocking(move || store.insert(&text))
        .await
        .context("the store panicked")?
        .context("the note is not saved")?;
    Ok(format!("saved as {id}"))
}

#[tokio::main]
async fn main() -> Result<()> {
    let store: Arc<dyn NoteStore> = Arc::new(Pool { notes: Arc::default() });
    let genkit = Genkit::builder().state(store).build()?; // state that is missing is an error here
    genkit.serve_mcp().name("notes").cli().await
}
