//! The database of notes.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use genkit::schemars::JsonSchema;
use genkit::serde::Serialize;
use genkit::{Error, ErrorContext as _, Result};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

/// A note.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
pub(crate) struct Note {
    /// The number of the note.
    pub(crate) id: i64,
    /// The text of the note.
    pub(crate) text: String,
    /// The topic in one word; can be empty.
    pub(crate) topic: String,
}

/// The notes of one user. One connection is enough, because queries are short.
pub(crate) struct Store(Mutex<Connection>);

impl Store {
    /// Opens the database, or creates it if it does not exist.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let shown = path.display();
        let connection = Connection::open(path).context(format!("cannot open {shown}"))?;
        connection
            .execute_batch(
                "CREATE TABLE IF NOT EXISTS notes (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    text TEXT NOT NULL,
                    topic TEXT NOT NULL
                )",
            )
            .context(format!("{shown} is not a database of notes"))?;
        Ok(Self(Mutex::new(connection)))
    }

    pub(crate) fn add(&self, text: &str, topic: &str) -> Result<Note> {
        let db = self.db();
        db.execute("INSERT INTO notes (text, topic) VALUES (?1, ?2)", params![text, topic])
            .context("cannot save the note")?;
        Ok(Note { id: db.last_insert_rowid(), text: text.to_owned(), topic: topic.to_owned() })
    }

    pub(crate) fn get(&self, id: i64) -> Result<Note> {
        self.db()
            .query_row("SELECT id, text, topic FROM notes WHERE id = ?1", [id], note)
            .optional()
            .context("cannot read the note")?
            .ok_or_else(|| Error::not_found(format!("note {id} not found")))
    }

    /// Returns the notes whose text or topic contains `query`, newest first.
    pub(crate) fn search(&self, query: &str, limit: u32) -> Result<Vec<Note>> {
        let pattern = format!("%{}%", query.replace(['%', '_'], " "));
        let db = self.db();
        let found = db
            .prepare(
                "SELECT id, text, topic FROM notes WHERE text LIKE ?1 OR topic LIKE ?1
                 ORDER BY id DESC LIMIT ?2",
            )
            .and_then(|mut query| query.query_map(params![pattern, limit], note)?.collect());
        found.context("cannot search the notes")
    }

    /// Returns all topics, those with the most notes first.
    pub(crate) fn topics(&self) -> Result<Vec<String>> {
        let db = self.db();
        let found = db
            .prepare(
                "SELECT topic FROM notes WHERE topic <> '' GROUP BY topic ORDER BY COUNT(*) DESC, topic",
            )
            .and_then(|mut query| query.query_map([], |row| row.get(0))?.collect());
        found.context("cannot list the topics")
    }

    pub(crate) fn delete(&self, id: i64) -> Result<Note> {
        let note = self.get(id)?;
        self.db().execute("DELETE FROM notes WHERE id = ?1", [id]).context("cannot delete")?;
        Ok(note)
    }

    fn db(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    Ok(Note { id: row.get(0)?, text: row.get(1)?, topic: row.get(2)? })
}
