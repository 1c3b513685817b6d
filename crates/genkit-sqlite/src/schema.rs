//! The tables, and the settings of a connection.

use std::path::Path;
use std::time::Duration;

use genkit::{Error, ErrorKind, Result};
use rusqlite::Connection;

/// The version of the tables below, stored in the file as its `user_version`.
const VERSION: i64 = 1;

/// The time that one process waits for the commit of another process. Default is 10 seconds.
const BUSY: Duration = Duration::from_secs(10);

pub(crate) const TABLES: &str = "
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        revision INTEGER NOT NULL,
        status TEXT NOT NULL,
        wake_at INTEGER,
        head TEXT NOT NULL,
        lease_owner TEXT,
        lease_until INTEGER
    ) STRICT;
    CREATE INDEX runs_due ON runs (COALESCE(wake_at, 0)) WHERE status = 'working';
    CREATE TABLE log (
        run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        line TEXT NOT NULL,
        UNIQUE (run, at)
    ) STRICT;
    PRAGMA user_version = 1;
";

/// The columns that later releases added, with their types. Older releases can still use the same tables.
const NEW_COLUMNS: [(&str, &str); 9] = [
    ("incarnation", "INTEGER NOT NULL DEFAULT 0"),
    ("lease_boot", "TEXT"),
    ("lease_uptime", "INTEGER"),
    ("lease_ttl", "INTEGER"),
    ("name", "TEXT NOT NULL DEFAULT ''"),
    ("tags", "TEXT NOT NULL DEFAULT ''"),
    ("error", "TEXT"),
    ("created_at", "INTEGER NOT NULL DEFAULT 0"),
    ("updated_at", "INTEGER NOT NULL DEFAULT 0"),
];

/// Adds the columns that the table of runs lacks.
fn add_columns(db: &Connection) -> rusqlite::Result<()> {
    let mut known = db.prepare("SELECT name FROM pragma_table_info('runs')")?;
    let known: Vec<String> =
        known.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for (name, kind) in NEW_COLUMNS {
        if !known.iter().any(|column| column == name) {
            db.execute_batch(&format!("ALTER TABLE runs ADD COLUMN {name} {kind}"))?;
        }
    }
    db.execute_batch(
        "CREATE INDEX IF NOT EXISTS runs_status ON runs (status, updated_at);
         CREATE INDEX IF NOT EXISTS runs_tags ON runs (tags) WHERE tags <> '';",
    )
}

/// Opens a file, and creates its tables if they do not exist.
pub(crate) fn open_database(path: Option<&Path>) -> Result<Connection> {
    let opened = || {
        let mut connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(BUSY)?;
        // The result is ignored, because an in-memory store does not support WAL.
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")?;
        let making =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let version: i64 = making.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version == 0 {
            making.execute_batch(TABLES)?;
        }
        if version <= VERSION {
            add_columns(&making)?;
        }
        making.commit()?;
        Ok((connection, version))
    };
    let (connection, version) = opened().map_err(|error| open_error(path, &error))?;
    if version > VERSION {
        let text = format!(
            "the run store has tables of version {version}, but this program supports only versions up to {VERSION}; upgrade this program"
        );
        return Err(Error::new(ErrorKind::FailedPrecondition, text));
    }
    Ok(connection)
}

/// Converts an error of SQLite.
pub(crate) fn store_error(error: rusqlite::Error) -> Error {
    // An invalid row, written by another program, is not a failure of the store, and a retry would read the same row.
    let kind = match &error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..) => ErrorKind::Internal,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, "the SQLite run store failed").with_source(error)
}

/// Creates the error for a file that cannot be opened. It has no source, because the source would repeat its text.
fn open_error(path: Option<&Path>, error: &rusqlite::Error) -> Error {
    let name = path.map_or_else(|| ":memory:".to_owned(), |path| path.display().to_string());
    let text = format!("cannot open the SQLite run store `{name}`: {error}");
    Error::new(error_kind(error), text)
}

/// Returns `Unavailable` only if a retry can succeed.
fn error_kind(error: &rusqlite::Error) -> ErrorKind {
    use rusqlite::ErrorCode as Code;
    match error.sqlite_error_code() {
        Some(
            Code::DatabaseBusy
            | Code::DatabaseLocked
            | Code::DiskFull
            | Code::SystemIoFailure
            | Code::OutOfMemory
            | Code::OperationInterrupted,
        ) => ErrorKind::Unavailable,
        Some(
            Code::CannotOpen
            | Code::NotADatabase
            | Code::DatabaseCorrupt
            | Code::PermissionDenied
            | Code::ReadOnly
            | Code::AuthorizationForStatementDenied,
        ) => ErrorKind::FailedPrecondition,
        _ => ErrorKind::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteStore;

    #[test]
    fn file_that_cannot_be_opened_is_named_once_and_not_worth_a_retry() {
        let folder =
            std::env::temp_dir().join(format!("genkit-sqlite-open-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = folder.join("notes.txt");
        std::fs::write(&text, "no database, but long enough for a header ".repeat(20)).unwrap();
        for path in [text, folder.join("missing/runs.db")] {
            let error = SqliteStore::open(&path).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::FailedPrecondition, "{}", error.chain());
            let name = path.display().to_string();
            assert_eq!(error.chain().matches(&name).count(), 1, "{}", error.chain());
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
