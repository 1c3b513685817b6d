//! The statements of the store, executed on a connection inside a transaction.

use genkit::durable::{RunChange, RunHead, RunId, RunStatus, StoredRun};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

type Sql<T> = rusqlite::Result<T>;

pub(crate) fn create_run(db: &Connection, run: &RunId, first: &RunChange) -> Sql<bool> {
    let made = db
        .prepare_cached(
            "INSERT INTO runs (id, revision, status, wake_at, head) VALUES (?1, 1, ?2, ?3, ?4)
             ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![run.as_str(), first.status.as_str(), wake_time(first), first.head])?;
    if made == 1 {
        append_log(db, db.last_insert_rowid(), &first.log)?;
    }
    Ok(made == 1)
}

pub(crate) fn save_change(
    db: &Connection,
    run: &RunId,
    at: u64,
    change: &RunChange,
) -> Sql<Option<u64>> {
    let (Ok(before), Some(after)) = (i64::try_from(at), at.checked_add(1)) else { return Ok(None) };
    let number = db
        .prepare_cached(
            "UPDATE runs SET revision = revision + 1, status = ?3, wake_at = ?4, head = ?5
             WHERE id = ?1 AND revision = ?2 RETURNING number",
        )?
        .query_row(
            params![run.as_str(), before, change.status.as_str(), wake_time(change), change.head],
            |row| row.get(0),
        )
        .optional()?;
    let Some(number) = number else { return Ok(None) };
    append_log(db, number, &change.log)?;
    Ok(Some(after))
}

/// Returns the wake-up time as a SQLite number.
fn wake_time(change: &RunChange) -> Option<i64> {
    change.wake_at_ms.map(|time| i64::try_from(time).unwrap_or(i64::MAX))
}

fn append_log(db: &Connection, number: i64, log: &[String]) -> Sql<()> {
    if log.is_empty() {
        return Ok(());
    }
    let last: i64 = db
        .prepare_cached("SELECT COALESCE(MAX(at), 0) FROM log WHERE run = ?1")?
        .query_row([number], |row| row.get(0))?;
    let mut insert = db.prepare_cached("INSERT INTO log (run, at, line) VALUES (?1, ?2, ?3)")?;
    for (at, line) in (last + 1..).zip(log) {
        insert.execute(params![number, at, line])?;
    }
    Ok(())
}

pub(crate) fn peek_head(db: &Connection, run: &RunId) -> Sql<Option<RunHead>> {
    db.prepare_cached("SELECT revision, status, wake_at FROM runs WHERE id = ?1")?
        .query_row([run.as_str()], read_head)
        .optional()
}

/// Reads the head of a run from the first three columns.
fn read_head(row: &Row<'_>) -> Sql<RunHead> {
    let (revision, status, wake): (i64, String, Option<i64>) =
        (row.get(0)?, row.get(1)?, row.get(2)?);
    let unknown = || {
        let why = format!("`{status}` is not a run status");
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, why.into())
    };
    let status = RunStatus::of_name(&status).ok_or_else(unknown)?;
    let number = |number: i64| u64::try_from(number).unwrap_or_default();
    Ok(RunHead::new(number(revision), status, wake.map(number)))
}

pub(crate) fn load_run(db: &Connection, run: &RunId) -> Sql<Option<StoredRun>> {
    let found = db
        .prepare_cached("SELECT revision, status, wake_at, head, number FROM runs WHERE id = ?1")?
        .query_row([run.as_str()], |row| {
            let (text, number): (String, i64) = (row.get(3)?, row.get(4)?);
            Ok((read_head(row)?, text, number))
        })
        .optional()?;
    let Some((at, text, number)) = found else { return Ok(None) };
    let mut lines = db.prepare_cached("SELECT line FROM log WHERE run = ?1 ORDER BY at")?;
    let log = lines.query_map([number], |row| row.get(0))?.collect::<Sql<Vec<String>>>()?;
    Ok(Some(StoredRun::new(at, text, log)))
}

pub(crate) fn lease_run(
    db: &Connection,
    run: &RunId,
    owner: &str,
    [now, until]: [i64; 2],
) -> Sql<Option<RunHead>> {
    db.prepare_cached(
        "UPDATE runs SET lease_owner = ?2, lease_until = ?4
         WHERE id = ?1 AND (lease_owner IS NULL OR lease_owner = ?2 OR lease_until <= ?3)
         RETURNING revision, status, wake_at",
    )?
    .query_row(params![run.as_str(), owner, now, until], read_head)
    .optional()
}

pub(crate) fn release_lease(db: &Connection, run: &RunId, owner: &str) -> Sql<()> {
    db.prepare_cached(
        "UPDATE runs SET lease_owner = NULL, lease_until = NULL WHERE id = ?1 AND lease_owner = ?2",
    )?
    .execute(params![run.as_str(), owner])
    .map(drop)
}

pub(crate) fn due_runs(db: &Connection, now: i64, limit: usize) -> Sql<Vec<RunId>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut due = db.prepare_cached(
        "SELECT id FROM runs
         WHERE status = 'working' AND COALESCE(wake_at, 0) <= ?1
             AND (lease_owner IS NULL OR lease_until <= ?1)
         ORDER BY COALESCE(wake_at, 0), number LIMIT ?2",
    )?;
    let ids = due.query_map([now, limit], |row| row.get::<_, String>(0))?;
    // Skip ids that are not valid run ids; only another program can have written them.
    Ok(ids.collect::<Sql<Vec<_>>>()?.into_iter().filter_map(|id| RunId::new(id).ok()).collect())
}

pub(crate) fn remove_run(db: &Connection, run: &RunId) -> Sql<bool> {
    let removed = db.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([run.as_str()])?;
    Ok(removed == 1)
}
