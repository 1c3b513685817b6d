//! The connection to the server, which is reopened if it is lost.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use genkit::{BoxFuture, Error, ErrorKind, Result};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row, Socket, Statement};

use crate::statements::{TABLES, VERSION};

/// The timeout for connecting. Default is 10 seconds.
const CONNECT: Duration = Duration::from_secs(10);

/// The timeout of a statement, including the round trip to the server, after which the connection is replaced. Default
/// is 10 seconds.
const STATEMENT: Duration = Duration::from_secs(10);

/// The TCP keepalive settings: the idle time before the first probe, the interval between probes, and their number.
/// Default is 10 seconds, 3 seconds and 3 probes.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(10), Duration::from_secs(3), 3);

type Connect = dyn Fn() -> BoxFuture<'static, Result<Client>> + Send + Sync;

/// A shared connection. Concurrent queries are pipelined.
pub(crate) struct Connection {
    connect: Box<Connect>,
    client: Mutex<Option<Arc<PreparedClient>>>,
    limit: Duration,
}

/// A client with its prepared statements.
pub(crate) struct PreparedClient {
    client: Client,
    statements: Mutex<HashMap<&'static str, Statement>>,
    /// The timeout of a statement.
    limit: Duration,
    /// Set once a statement has timed out, so that the next statement uses a new connection.
    is_silent: AtomicBool,
}

impl PreparedClient {
    /// Returns the rows of a statement.
    pub(crate) async fn query_rows(
        &self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let querying = async {
            let statement = self.prepared_statement(text).await?;
            self.client.query(&statement, values).await.map_err(store_error)
        };
        match tokio::time::timeout(self.limit, querying).await {
            Ok(done) => done,
            Err(_) => {
                self.is_silent.store(true, Ordering::Release);
                let text = format!(
                    "the Postgres run store did not respond within {:?}; the next statement reconnects",
                    self.limit
                );
                Err(Error::new(ErrorKind::Unavailable, text))
            }
        }
    }

    async fn prepared_statement(&self, text: &'static str) -> Result<Statement> {
        let known = lock_mutex(&self.statements).get(text).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        // Do not hold the lock while the statement is prepared: it would prevent pipelining.
        let statement = self.client.prepare(text).await.map_err(store_error)?;
        lock_mutex(&self.statements).insert(text, statement.clone());
        Ok(statement)
    }
}

impl Connection {
    pub(crate) fn new<T>(mut config: Config, tls: T) -> Self
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send,
        T::TlsConnect: Send,
        <T::TlsConnect as tokio_postgres::tls::TlsConnect<Socket>>::Future: Send,
    {
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if !has_timeout(&config, "statement_timeout") {
            let options = config.get_options().unwrap_or_default();
            let limit = STATEMENT.as_millis();
            config.options(format!("{options} -c statement_timeout={limit}").trim_start());
        }
        let (idle, interval, retries) = KEEPALIVE;
        if config.get_keepalives_interval().is_none() {
            config.keepalives(true).keepalives_idle(idle);
            config.keepalives_interval(interval).keepalives_retries(retries);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(STATEMENT);
        }
        let connect = move || -> BoxFuture<'static, Result<Client>> {
            let (config, tls) = (config.clone(), tls.clone());
            Box::pin(async move {
                let (client, connection) = config.connect(tls).await.map_err(store_error)?;
                tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        tracing::warn!(%error, "lost the connection to the Postgres run store; the next statement reconnects");
                    }
                });
                Ok(client)
            })
        };
        Self { connect: Box::new(connect), client: Mutex::new(None), limit: STATEMENT }
    }

    /// Sets the timeout of a statement.
    pub(crate) fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Returns the open connection, or opens a new one.
    pub(crate) async fn connected_client(&self) -> Result<Arc<PreparedClient>> {
        if let Some(prepared) = self.open_client() {
            return Ok(prepared);
        }
        // The connect timeout of the driver does not include TLS and the start of the session.
        let client = tokio::time::timeout(CONNECT + self.limit, (self.connect)()).await;
        let silent = |_| {
            let text = "the server of the Postgres run store did not respond";
            Error::new(ErrorKind::Unavailable, text)
        };
        let new = PreparedClient {
            client: client.map_err(silent)??,
            statements: Mutex::default(),
            limit: self.limit,
            is_silent: AtomicBool::new(false),
        };
        // Another task may have connected in the meantime.
        Ok(self.open_client().unwrap_or_else(|| {
            let new = Arc::new(new);
            *lock_mutex(&self.client) = Some(Arc::clone(&new));
            new
        }))
    }

    fn open_client(&self) -> Option<Arc<PreparedClient>> {
        let is_usable = |prepared: &&Arc<PreparedClient>| {
            !prepared.client.is_closed() && !prepared.is_silent.load(Ordering::Acquire)
        };
        lock_mutex(&self.client).as_ref().filter(is_usable).cloned()
    }

    /// Creates the tables if they do not exist.
    pub(crate) async fn prepare_schema(&self) -> Result<()> {
        let client = &self.connected_client().await?.client;
        client.batch_execute(TABLES).await.map_err(store_error)?;
        let row = client.query_one("SELECT max(version) FROM genkit_schema", &[]).await;
        let version: i32 = row.and_then(|row| row.try_get(0)).map_err(store_error)?;
        if version > VERSION {
            let text = format!(
                "the run store has tables of version {version}, but this program supports only versions up to {VERSION}; upgrade this program"
            );
            return Err(Error::new(ErrorKind::FailedPrecondition, text));
        }
        Ok(())
    }
}

/// Returns whether the configuration sets the server option `name`, such as `statement_timeout`.
fn has_timeout(config: &Config, name: &str) -> bool {
    config.get_options().is_some_and(|options| options.contains(name))
}

/// Locks a mutex, ignoring poisoning: no code can leave the data in an inconsistent state.
fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Converts an error from the server or the connection.
pub(crate) fn store_error(error: tokio_postgres::Error) -> Error {
    let kind = kind_of_state(error.code().map(SqlState::code));
    Error::new(kind, "the Postgres run store failed").with_source(error)
}

/// Returns the kind of an error by the class of its SQLSTATE; `None` means a connection error. Returns `Unavailable`
/// only if a retry can succeed.
fn kind_of_state(state: Option<&str>) -> ErrorKind {
    match state.and_then(|state| state.get(..2)) {
        // Connection errors, conflicts, resource limits, locks, operator intervention, system errors.
        None | Some("08" | "40" | "53" | "55" | "57" | "58") => ErrorKind::Unavailable,
        Some("28") => ErrorKind::Unauthenticated,
        Some(_) => ErrorKind::FailedPrecondition,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_retryable_errors_are_unavailable() {
        for (state, kind) in [
            (None, ErrorKind::Unavailable),
            (Some("57P03"), ErrorKind::Unavailable),
            (Some("40001"), ErrorKind::Unavailable),
            (Some("28P01"), ErrorKind::Unauthenticated),
            (Some("3D000"), ErrorKind::FailedPrecondition),
            (Some("42501"), ErrorKind::FailedPrecondition),
        ] {
            assert_eq!(kind_of_state(state), kind, "{state:?}");
        }
    }
}
