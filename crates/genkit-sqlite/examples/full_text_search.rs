//! Answers from documents in SQLite: full-text search, without embeddings and without a key.
//!
//! ```text
//! cargo run -p genkit-sqlite --example full_text_search -- "opening hours"
//! ```

#![allow(clippy::print_stdout, reason = "an interactive program")]

use std::sync::{Arc, Mutex, PoisonError};

use genkit::model::{Document, from_fn};
use genkit::{ErrorContext as _, Genkit, Registry, Result, actions, retriever};
use rusqlite::Connection;

/// The database of the notes.
struct Notes(Arc<Mutex<Connection>>);

/// Searches the notes of the shop.
#[retriever]
async fn notes(notes: &Notes, query: Document, k: usize) -> Result<Vec<Document>> {
    let connection = Arc::clone(&notes.0);
    let search = move || {
        let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        // Each word is quoted, because FTS5 has its own query language.
        let text = query.text();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
        let sql = "SELECT title, text FROM notes WHERE notes MATCH ?1 ORDER BY rank LIMIT ?2";
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map((words.join(" OR "), k as i64), |row| {
            let text: String = row.get("text")?;
            Ok(Document::from(text).with_metadata("title", row.get::<_, String>("title")?))
        })?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    };
    let found = tokio::task::spawn_blocking(search).await.context("the search panicked")?;
    found.context("the search in the notes failed")
}

#[tokio::main]
async fn main() -> Result<()> {
    let connection = Connection::open_in_memory().context("failed to open the database")?;
    let script = "CREATE VIRTUAL TABLE notes USING fts5(title, text);
        INSERT INTO notes VALUES
            ('Hours', 'The shop opens at nine and closes at six.'),
            ('Returns', 'Send it back within thirty days.'),
            ('Tea', 'Tea is served all day.');";
    connection.execute_batch(script).context("failed to write the notes")?;

    // A fake model that repeats the documents. In your program, use a model such as "gemini/gemini-2.5-flash".
    let model = from_fn("reader", |request, _| async move {
        request.docs.iter().map(Document::text).collect::<Vec<_>>().join("\n")
    });
    let genkit = Genkit::builder()
        .registry(Registry::new().add(actions![notes]))
        .state(Notes(Arc::new(Mutex::new(connection))))
        .default_model(model)
        .build()?;
    let question = std::env::args().nth(1).unwrap_or_else(|| "When does the shop open?".into());
    let response = genkit.generate(question).retriever("notes", 2).await?;
    println!("{}", response.text());
    Ok(())
}
