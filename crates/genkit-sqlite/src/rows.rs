//! The statements of the store, executed on a connection inside a transaction.

use std::time::Duration;

use genkit::durable::{
    LeaseEnd, LeaseTime, RunChange, RunEntry, RunFilter, RunHead, RunId, RunStatus, StoredRun,
};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

type Sql<T> = rusqlite::Result<T>;

pub(crate) fn create_run(db: &Connection, run: &RunId, first: &RunChange) -> Sql<bool> {
    let made = db
        .prepare_cached(
            "INSERT INTO runs (id, revision, status, wake_at, head, incarnation, name, tags, error, created_at,
                 updated_at)
             VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9) ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            run.as_str(),
            first.status.as_str(),
            wake_time(first),
            first.head,
            signed(RunHead::new_incarnation()),
            first.name.as_deref().unwrap_or_default(),
            join_tags(first.tags.as_deref().unwrap_or_default()),
            first.error,
            signed(LeaseTime::now().wall_ms),
        ])?;
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
            "UPDATE runs SET revision = revision + 1, status = ?3, wake_at = ?4, head = ?5,
                 name = COALESCE(?6, name), tags = COALESCE(?7, tags), error = ?8, updated_at = ?9
             WHERE id = ?1 AND revision = ?2 AND (?10 IS NULL OR lease_owner = ?10)
                 AND (?11 IS NULL OR incarnation = ?11)
             RETURNING number",
        )?
        .query_row(
            params![
                run.as_str(),
                before,
                change.status.as_str(),
                wake_time(change),
                change.head,
                change.name,
                change.tags.as_deref().map(join_tags),
                change.error,
                signed(LeaseTime::now().wall_ms),
                change.owner,
                change.incarnation.map(signed),
            ],
            |row| row.get(0),
        )
        .optional()?;
    let Some(number) = number else { return Ok(None) };
    append_log(db, number, &change.log)?;
    Ok(Some(after))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Joins tags into one string, in which each tag is enclosed in line breaks.
fn join_tags(tags: &[String]) -> String {
    match tags {
        [] => String::new(),
        tags => format!("\n{}\n", tags.join("\n")),
    }
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
    db.prepare_cached("SELECT revision, status, wake_at, incarnation FROM runs WHERE id = ?1")?
        .query_row([run.as_str()], read_head)
        .optional()
}

/// Reads the head of a run from the first four columns.
fn read_head(row: &Row<'_>) -> Sql<RunHead> {
    let (revision, status, wake): (i64, String, Option<i64>) =
        (row.get(0)?, row.get(1)?, row.get(2)?);
    let incarnation: i64 = row.get(3)?;
    let unknown = || {
        let why = format!("`{status}` is not a run status");
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, why.into())
    };
    let status = RunStatus::from_name(&status).ok_or_else(unknown)?;
    let number = |number: i64| u64::try_from(number).unwrap_or_default();
    let head = RunHead::new(number(revision), status, wake.map(number));
    Ok(head.with_incarnation(number(incarnation)))
}

pub(crate) fn load_run(db: &Connection, run: &RunId) -> Sql<Option<StoredRun>> {
    let found = db
        .prepare_cached(
            "SELECT revision, status, wake_at, incarnation, head, number FROM runs WHERE id = ?1",
        )?
        .query_row([run.as_str()], |row| {
            let (text, number): (String, i64) = (row.get(4)?, row.get(5)?);
            Ok((read_head(row)?, text, number))
        })
        .optional()?;
    let Some((at, text, number)) = found else { return Ok(None) };
    let mut lines = db.prepare_cached("SELECT line FROM log WHERE run = ?1 ORDER BY at")?;
    let log = lines.query_map([number], |row| row.get(0))?.collect::<Sql<Vec<String>>>()?;
    Ok(Some(StoredRun::new(at, text, log)))
}

/// The condition that no owner holds a valid lease. Its parameters 1 to 3 are the current time, the boot id of the
/// machine, and the uptime. The wall clock decides only if the uptime is unknown. See [`LeaseEnd::is_over`].
const IS_FREE: &str = "(lease_owner IS NULL OR CASE
    WHEN lease_boot IS NOT NULL AND ?2 IS NOT NULL
        THEN lease_boot <> ?2 OR lease_uptime <= ?3 OR lease_uptime > ?3 + lease_ttl
    ELSE lease_until <= ?1 OR lease_until > ?1 + COALESCE(lease_ttl, 30000) END)";

pub(crate) fn lease_run(
    db: &Connection,
    run: &RunId,
    owner: &str,
    now: &LeaseTime,
    ttl: Duration,
) -> Sql<Option<RunHead>> {
    let (boot, uptime) = (now.boot(), now.since_boot_ms().map(signed));
    let select = format!(
        "SELECT revision, status, wake_at, incarnation, lease_owner, {IS_FREE} FROM runs WHERE id = ?4"
    );
    let found = db
        .prepare_cached(&select)?
        .query_row(params![signed(now.wall_ms), boot, uptime, run.as_str()], |row| {
            Ok((read_head(row)?, row.get::<_, Option<String>>(4)?, row.get::<_, bool>(5)?))
        })
        .optional()?;
    let Some((head, before, is_free)) = found else { return Ok(None) };
    let is_other = before.is_some_and(|before| before != owner);
    if is_other && !is_free {
        return Ok(None);
    }
    let end = LeaseEnd::after(now, ttl);
    let boot = end.boot.as_ref();
    db.prepare_cached(
        "UPDATE runs SET lease_owner = ?2, lease_until = ?3, lease_ttl = ?4, lease_boot = ?5, lease_uptime = ?6
         WHERE id = ?1",
    )?
    .execute(params![
        run.as_str(),
        owner,
        signed(end.until_ms),
        end.ttl_ms.map(signed),
        boot.map(|(boot, _)| boot),
        boot.map(|(_, until)| signed(*until)),
    ])?;
    Ok(Some(head.with_abandoned(is_other)))
}

pub(crate) fn release_lease(db: &Connection, run: &RunId, owner: &str) -> Sql<()> {
    db.prepare_cached(
        "UPDATE runs SET lease_owner = NULL, lease_until = NULL WHERE id = ?1 AND lease_owner = ?2",
    )?
    .execute(params![run.as_str(), owner])
    .map(drop)
}

/// The condition that the id is valid, which is false only for rows that another program wrote. They are excluded here,
/// because a page without any valid row would look like the end of the list.
const IS_RUN: &str = "(length(id) <= 128 AND id GLOB '[A-Za-z0-9_]*'
    AND id NOT GLOB '*[^A-Za-z0-9_.-]*')";

pub(crate) fn due_runs(db: &Connection, now: &LeaseTime, limit: usize) -> Sql<Vec<RunId>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut due = db.prepare_cached(&format!(
        "SELECT id FROM runs INDEXED BY runs_due
         WHERE status = 'working' AND COALESCE(wake_at, 0) <= ?1 AND {IS_FREE} AND {IS_RUN}
         ORDER BY COALESCE(wake_at, 0), number LIMIT ?4"
    ))?;
    let (boot, uptime) = (now.boot(), now.since_boot_ms().map(signed));
    let values = params![signed(now.wall_ms), boot, uptime, limit];
    let ids = due.query_map(values, |row| row.get::<_, String>(0))?;
    Ok(ids.collect::<Sql<Vec<_>>>()?.into_iter().filter_map(|id| RunId::new(id).ok()).collect())
}

/// Returns the statement that lists runs.
pub(crate) fn list_statement(filter: &RunFilter) -> String {
    let statuses: Vec<String> =
        filter.statuses.iter().map(|status| format!("'{}'", status.as_str())).collect();
    let of_status = match statuses.is_empty() {
        true => String::new(),
        false => format!("AND status IN ({})", statuses.join(", ")),
    };
    // Reads the tags of all runs from an index, which is much smaller than the table.
    let of_tag = match filter.tag {
        None => "",
        Some(_) => {
            "AND number IN (SELECT number FROM runs INDEXED BY runs_tags WHERE tags <> '' AND instr(tags, ?4) > 0)"
        }
    };
    format!(
        "SELECT id, status, wake_at, name, tags, error, created_at, updated_at FROM runs
         WHERE id > ?1 AND {IS_RUN} AND (?2 OR id NOT GLOB 'mcp-[ts]*') {of_status} {of_tag}
             AND (?3 IS NULL OR name = ?3) AND (?5 IS NULL OR instr(error, ?5) > 0)
             AND (?6 IS NULL OR updated_at < ?6) AND (?7 IS NULL OR created_at < ?7)
         ORDER BY id LIMIT ?8"
    )
}

/// Returns a page of runs. A row that another program wrote is an entry without a status.
pub(crate) fn list_runs(db: &Connection, filter: &RunFilter) -> Sql<Vec<RunEntry>> {
    let mut list = db.prepare_cached(&list_statement(filter))?;
    let values = params![
        filter.after.as_ref().map_or("", RunId::as_str),
        filter.of_servers,
        filter.name,
        filter.tag.as_ref().map(|tag| format!("\n{tag}\n")),
        filter.error,
        filter.updated_before_ms.map(signed),
        filter.created_before_ms.map(signed),
        i64::try_from(filter.limit).unwrap_or(i64::MAX),
    ];
    let rows = list.query_map(values, |row| {
        let Ok(id) = RunId::new(row.get::<_, String>(0)?) else { return Ok(None) };
        let unreadable = |error: rusqlite::Error| {
            let mut entry = RunEntry::new(id.clone(), None);
            entry.error = Some(error.to_string());
            entry
        };
        Ok(Some(read_entry(row, id.clone()).unwrap_or_else(unreadable)))
    })?;
    Ok(rows.collect::<Sql<Vec<_>>>()?.into_iter().flatten().collect())
}

fn read_entry(row: &Row<'_>, id: RunId) -> Sql<RunEntry> {
    let number = |number: i64| u64::try_from(number).unwrap_or_default();
    let status: String = row.get(1)?;
    let mut entry = RunEntry::new(id, RunStatus::from_name(&status));
    entry.wake_at_ms = row.get::<_, Option<i64>>(2)?.map(number);
    entry.name = row.get(3)?;
    let tags: String = row.get(4)?;
    entry.tags = tags.split('\n').filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
    entry.error = row.get(5)?;
    if entry.status.is_none() {
        entry.error = Some(format!("`{status}` is not a run status"));
    }
    (entry.created_ms, entry.updated_ms) = (number(row.get(6)?), number(row.get(7)?));
    Ok(entry)
}

pub(crate) fn remove_run(db: &Connection, run: &RunId) -> Sql<bool> {
    let removed = db.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([run.as_str()])?;
    Ok(removed == 1)
}
