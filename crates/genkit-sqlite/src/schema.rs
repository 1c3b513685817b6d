//! The tables, and the settings of a connection.

use std::path::Path;
use std::time::Duration;

use genkit::{Error, ErrorKind, Result};
use rusqlite::Connection;

/// The version of the tables below, stored in the file as its `user_version`.
const VERSION: i64 = 1;

/// The time that one process waits for the commit of another. Default is 10 seconds.
const BUSY: Duration = Duration::from_secs(10);

const TABLES: &str = "
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

/// Opens a file, and creates its tables if they do not exist.
pub(crate) fn open_database(path: Option<&Path>) -> Result<Connection> {
    let opened = || {
        let mut connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(BUSY)?;
        // Returns the current mode; a store in memory does not support WAL.
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")?;
        let making =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let version: i64 = making.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version == 0 {
            making.execute_batch(TABLES)?;
        }
        making.commit()?;
        Ok((connection, version))
    };
    let (connection, version) = opened().map_err(|error| open_error(path, &error))?;
    if version > VERSION {
        let text = format!(
            "the store of runs has tables of version {version}, and this program supports version {VERSION}; upgrade this program"
        );
        return Err(Error::new(ErrorKind::FailedPrecondition, text));
    }
    Ok(connection)
}

/// Converts an error of SQLite.
pub(crate) fn store_error(error: rusqlite::Error) -> Error {
    Error::new(kind_of(&error), "the SQLite store of runs failed").with_source(error)
}

/// Names the file that cannot be opened. SQLite says the rest twice, in the error and in its source.
fn open_error(path: Option<&Path>, error: &rusqlite::Error) -> Error {
    let name = path.map_or_else(|| ":memory:".to_owned(), |path| path.display().to_string());
    let text = format!("cannot open the SQLite store of runs `{name}`: {error}");
    Error::new(kind_of(error), text)
}

/// Returns `Unavailable` only for what a retry can fix.
fn kind_of(error: &rusqlite::Error) -> ErrorKind {
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
    fn a_file_that_cannot_be_opened_is_named_once_and_not_worth_a_retry() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("notes.txt");
        std::fs::write(&text, "no database, but long enough for a header ".repeat(20)).unwrap();
        for path in [text, folder.path().join("missing/runs.db")] {
            let error = SqliteStore::open(&path).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::FailedPrecondition, "{}", error.chain());
            let name = path.display().to_string();
            assert_eq!(error.chain().matches(&name).count(), 1, "{}", error.chain());
        }
    }
}
