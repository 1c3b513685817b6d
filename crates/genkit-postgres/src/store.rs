//! The Postgres store.

use std::sync::Arc;
use std::time::Duration;

use genkit::durable::{
    RunChange, RunEntry, RunFilter, RunHead, RunId, RunStatus, RunStore, StoredRun,
};
use genkit::{BoxFuture, Error, ErrorKind, Result};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, NoTls, Row, Socket};

use crate::connection::{Connection, store_error};
use crate::statements::{CREATE, DUE, LEASE, LIST, LOAD, PEEK, RELEASE, REMOVE, SAVE};

/// A Postgres store: durable runs in a database that many machines can share. Requires Postgres 13 or newer.
///
/// Its tables are `genkit_runs`, `genkit_run_log` and `genkit_schema`, in the first schema of the connection's search
/// path. A lost connection is reopened by the next call. A statement that takes longer than 10 seconds fails, and its
/// connection is replaced, so a network failure delays a worker by at most that time. The configuration can set
/// other limits: `statement_timeout` (in `options`), `connect_timeout`, `tcp_user_timeout` and keepalives (with
/// `keepalives_interval`).
///
/// For failover, name several hosts, as in `postgres://agents@db1,db2/agents`: the store connects to the first one that
/// responds and can write, and replaces the connection if its server becomes read-only. Use synchronous replication: with
/// asynchronous replication, a failover can lose the last saved steps, which are then repeated.
#[derive(Clone)]
pub struct PostgresStore(Arc<Connection>);

impl PostgresStore {
    /// Connects to Postgres without TLS, and creates the tables if they do not exist. Use this method only for a local
    /// server or in a secure network.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if `url` is invalid, `Unavailable` if the server cannot be reached, `Unauthenticated`
    /// if it rejects the credentials, and `FailedPrecondition` if it rejects the connection for another reason or the
    /// tables were created by a newer version of this crate.
    pub async fn connect(url: &str) -> Result<Self> {
        let config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
            // The URL may contain a password, so the error must not contain the URL.
            Error::new(ErrorKind::InvalidArgument, "invalid URL of the Postgres server")
                .with_source(error)
        })?;
        Self::connect_with(config, NoTls).await
    }

    /// Connects to Postgres with a custom configuration and TLS connector, such as the connectors of
    /// `tokio-postgres-rustls` or `postgres-native-tls`.
    ///
    /// # Errors
    /// Returns the same errors as [`connect`](Self::connect).
    pub async fn connect_with<T>(config: Config, tls: T) -> Result<Self>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        Self::connect_within(config, tls, None).await
    }

    /// Connects with a timeout for each statement.
    async fn connect_within<T>(config: Config, tls: T, limit: Option<Duration>) -> Result<Self>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let connection = Connection::new(config, tls);
        let connection = match limit {
            Some(limit) => connection.with_limit(limit),
            None => connection,
        };
        connection.prepare_schema().await?;
        Ok(Self(Arc::new(connection)))
    }

    #[doc(hidden)]
    pub async fn connect_for_test(config: Config, limit: Duration) -> Result<Self> {
        Self::connect_within(config, NoTls, Some(limit)).await
    }
}

/// Returns the wake-up time as a Postgres number.
fn wake_time(change: &RunChange) -> Option<i64> {
    change.wake_at_ms.map(|time| i64::try_from(time).unwrap_or(i64::MAX))
}

fn to_signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn to_unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// Reads the head of a run from the first four columns.
fn read_head(row: &Row) -> Result<RunHead> {
    let columns = (row.try_get(0), row.try_get(1), row.try_get(2));
    let (revision, status, wake): (i64, String, Option<i64>) = (
        columns.0.map_err(store_error)?,
        columns.1.map_err(store_error)?,
        columns.2.map_err(store_error)?,
    );
    let unknown = || Error::new(ErrorKind::Internal, format!("`{status}` is not a run status"));
    let status = RunStatus::from_name(&status).ok_or_else(unknown)?;
    let incarnation: i64 = row.try_get(3).map_err(store_error)?;
    let head = RunHead::new(to_unsigned(revision), status, wake.map(to_unsigned));
    Ok(head.with_incarnation(to_unsigned(incarnation)))
}

/// Reads an entry of a list. Returns `None` if the id is not valid. If the rest of the row is not valid, the entry has
/// no status.
fn read_entry(row: &Row) -> Result<Option<RunEntry>> {
    let read = || {
        let (id, status): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let Ok(id) = RunId::new(id) else { return Ok(None) };
        let mut entry = RunEntry::new(id, RunStatus::from_name(&status));
        entry.wake_at_ms = row.try_get::<_, Option<i64>>(2)?.map(to_unsigned);
        (entry.name, entry.tags, entry.error) = (row.try_get(3)?, row.try_get(4)?, row.try_get(5)?);
        if entry.status.is_none() {
            entry.error = Some(format!("`{status}` is not a run status"));
        }
        entry.created_ms = to_unsigned(row.try_get(6)?);
        entry.updated_ms = to_unsigned(row.try_get(7)?);
        Ok(Some(entry))
    };
    read().map_err(store_error)
}

impl RunStore for PostgresStore {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            first.check_lines()?;
            let RunChange { status, head, log, .. } = first;
            let wake = wake_time(first);
            let incarnation = to_signed(RunHead::new_incarnation());
            let name = first.name.as_deref().unwrap_or_default();
            let tags = first.tags.as_deref().unwrap_or_default();
            let values: [&(dyn ToSql + Sync); 9] = [
                &run.as_str(),
                &status.as_str(),
                &wake,
                head,
                log,
                &incarnation,
                &name,
                &tags,
                &first.error,
            ];
            let made = self.0.execute_once(CREATE, &values).await?;
            let made: i64 =
                made.first().map_or(Ok(0), |row| row.try_get(0)).map_err(store_error)?;
            Ok(made == 1)
        })
    }

    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        Box::pin(async move {
            let rows = self.0.query_rows(LOAD, &[&run.as_str()]).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            let text: String = row.try_get(4).map_err(store_error)?;
            Ok(Some(StoredRun::new(read_head(row)?, text, row.try_get(5).map_err(store_error)?)))
        })
    }

    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        Box::pin(async move {
            let rows = self.0.query_rows(PEEK, &[&run.as_str()]).await?;
            rows.first().map(read_head).transpose()
        })
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(async move {
            change.check_lines()?;
            let Ok(at) = i64::try_from(at) else { return Ok(None) };
            let RunChange { status, head, log, .. } = change;
            let wake = wake_time(change);
            let incarnation = change.incarnation.map(to_signed);
            let values: [&(dyn ToSql + Sync); 11] = [
                &run.as_str(),
                &at,
                &status.as_str(),
                &wake,
                head,
                log,
                &change.owner,
                &incarnation,
                &change.name,
                &change.tags,
                &change.error,
            ];
            let saved = self.0.execute_once(SAVE, &values).await?;
            let revision = saved.first().map(|row| row.try_get(0).map(to_unsigned)).transpose();
            revision.map_err(store_error)
        })
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        Box::pin(async move {
            // A day is longer than any lease, and the sum cannot overflow.
            let ttl = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX).min(86_400_000);
            let rows = self.0.query_rows(LEASE, &[&run.as_str(), &owner, &ttl]).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            Ok(Some(read_head(row)?.with_abandoned(row.try_get(4).map_err(store_error)?)))
        })
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(
            async move { self.0.query_rows(RELEASE, &[&run.as_str(), &owner]).await.map(drop) },
        )
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        Box::pin(async move {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = self.0.query_rows(DUE, &[&limit]).await?;
            let ids: std::result::Result<Vec<String>, _> =
                rows.iter().map(|row| row.try_get(0)).collect();
            // Ignore invalid ids, which another program wrote.
            Ok(ids.map_err(store_error)?.into_iter().filter_map(|id| RunId::new(id).ok()).collect())
        })
    }

    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        Box::pin(
            async move { Ok(!self.0.execute_once(REMOVE, &[&run.as_str()]).await?.is_empty()) },
        )
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>>> {
        Box::pin(async move {
            let after = filter.after.as_ref().map_or("", RunId::as_str);
            let statuses: Vec<&str> =
                filter.statuses.iter().map(|status| status.as_str()).collect();
            let statuses = (!statuses.is_empty()).then_some(statuses);
            let updated = filter.updated_before_ms.map(to_signed);
            let created = filter.created_before_ms.map(to_signed);
            let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
            let values: [&(dyn ToSql + Sync); 9] = [
                &after,
                &filter.of_servers,
                &statuses,
                &filter.name,
                &filter.tag,
                &filter.error,
                &updated,
                &created,
                &limit,
            ];
            let rows = self.0.query_rows(LIST, &values).await?;
            let entries: Result<Vec<_>> = rows.iter().map(read_entry).collect();
            Ok(entries?.into_iter().flatten().collect())
        })
    }
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}
