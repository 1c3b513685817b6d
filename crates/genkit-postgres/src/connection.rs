//! The connection to the server, which is reopened if it is lost.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use genkit::{BoxFuture, Error, ErrorKind, Result};
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row, Socket, Statement};

use crate::hosts::split_hosts;
use crate::statements::{TABLES, VERSION};

/// The timeout for connecting to an address of a host. Default is 5 seconds. The start of the session may take the same
/// time.
const CONNECT: Duration = Duration::from_secs(5);

/// The timeout of a statement, including the round trip to the server, after which the connection is replaced. Default
/// is 10 seconds.
const STATEMENT: Duration = Duration::from_secs(10);

/// The timeout for creating the tables. Default is 60 seconds.
const SCHEMA: Duration = Duration::from_secs(60);

/// The TCP keepalive settings: the idle time before the first probe, the interval between probes, and their number.
/// Default is 10 seconds, 3 seconds and 3 probes.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(10), Duration::from_secs(3), 3);

/// Connects to the host with this index.
type Connect = dyn Fn(usize) -> BoxFuture<'static, Result<Client>> + Send + Sync;

/// A shared connection. Concurrent queries are pipelined.
pub(crate) struct Connection {
    connect: Box<Connect>,
    client: Mutex<Option<Arc<PreparedClient>>>,
    limit: Duration,
    /// The number of hosts.
    hosts: usize,
    /// The timeout for one host, which includes TLS and the start of the session.
    connect_limit: Duration,
}

/// A client with its prepared statements.
pub(crate) struct PreparedClient {
    client: Client,
    statements: Mutex<HashMap<&'static str, Statement>>,
    /// The timeout of a statement.
    limit: Duration,
    /// Set after an error that another connection may not have, so that the next statement uses a new connection.
    is_broken: AtomicBool,
}

/// An error of a statement.
struct StatementError {
    error: Error,
    /// Whether the connection was lost, so that the statement may or may not have been executed.
    is_lost: bool,
    /// Whether the server is read-only, so that the statement was not executed.
    is_read_only: bool,
}

impl PreparedClient {
    async fn query_rows(
        &self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> std::result::Result<Vec<Row>, StatementError> {
        let querying = async {
            let statement = self.prepared_statement(text).await?;
            self.client.query(&statement, values).await
        };
        let failed = match tokio::time::timeout(self.limit, querying).await {
            Ok(Ok(rows)) => return Ok(rows),
            Ok(Err(error)) => {
                let state = error.code().map(SqlState::code);
                let (is_lost, is_read_only) = (ends_connection(state), state == Some(READ_ONLY));
                StatementError { error: store_error(error), is_lost, is_read_only }
            }
            Err(_) => {
                self.is_broken.store(true, Ordering::Release);
                let text = format!(
                    "the Postgres run store did not respond within {:?}; the next statement reconnects",
                    self.limit
                );
                let error = Error::new(ErrorKind::Unavailable, text);
                StatementError { error, is_lost: false, is_read_only: false }
            }
        };
        if failed.is_lost || failed.is_read_only {
            self.is_broken.store(true, Ordering::Release);
        }
        Err(failed)
    }

    async fn prepared_statement(
        &self,
        text: &'static str,
    ) -> std::result::Result<Statement, tokio_postgres::Error> {
        let known = lock_mutex(&self.statements).get(text).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        // Do not hold the lock while the statement is prepared: it would prevent pipelining.
        let statement = self.client.prepare(text).await?;
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
        // A store must write, so of several hosts only the primary is of use.
        if config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let connect_limit = config.get_connect_timeout().map_or(CONNECT, |limit| *limit) * 2;
        let configs = split_hosts(&config);
        let hosts = configs.len();
        let connect = move |host: usize| -> BoxFuture<'static, Result<Client>> {
            let (config, tls) = (configs[host].clone(), tls.clone());
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
        Self {
            connect: Box::new(connect),
            client: Mutex::new(None),
            limit: STATEMENT,
            hosts,
            connect_limit,
        }
    }

    /// Sets the timeout of a statement.
    pub(crate) fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Returns the rows of a statement that can be executed twice. If the connection was lost, executes it again on a new
    /// connection.
    pub(crate) async fn query_rows(
        &self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let failed = match self.connected_client().await?.query_rows(text, values).await {
            Ok(rows) => return Ok(rows),
            Err(failed) => failed,
        };
        match failed.is_lost || failed.is_read_only {
            true => self.execute_again(text, values).await,
            false => Err(failed.error),
        }
    }

    /// Returns the rows of a statement that must not be executed twice. After a lost connection, it may or may not have
    /// been executed.
    pub(crate) async fn execute_once(
        &self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        match self.connected_client().await?.query_rows(text, values).await {
            Ok(rows) => Ok(rows),
            Err(failed) if failed.is_read_only => self.execute_again(text, values).await,
            Err(failed) => Err(failed.error),
        }
    }

    async fn execute_again(
        &self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let client = self.connected_client().await?;
        client.query_rows(text, values).await.map_err(|failed| failed.error)
    }

    /// Returns the open connection, or opens a new one.
    async fn connected_client(&self) -> Result<Arc<PreparedClient>> {
        if let Some(prepared) = self.open_client() {
            return Ok(prepared);
        }
        let new = PreparedClient {
            client: self.connect_to_first().await?,
            statements: Mutex::default(),
            limit: self.limit,
            is_broken: AtomicBool::new(false),
        };
        // Another task may have connected in the meantime.
        Ok(self.open_client().unwrap_or_else(|| {
            let new = Arc::new(new);
            *lock_mutex(&self.client) = Some(Arc::clone(&new));
            new
        }))
    }

    /// Connects to the first host that responds and can write.
    async fn connect_to_first(&self) -> Result<Client> {
        let mut last = None;
        for host in 0..self.hosts {
            match tokio::time::timeout(self.connect_limit, (self.connect)(host)).await {
                Ok(Ok(client)) => return Ok(client),
                Ok(Err(error)) => last = Some(error),
                Err(_) => last = None,
            }
        }
        let text = "the server of the Postgres run store did not respond";
        Err(last.unwrap_or_else(|| Error::new(ErrorKind::Unavailable, text)))
    }

    fn open_client(&self) -> Option<Arc<PreparedClient>> {
        let is_usable = |prepared: &&Arc<PreparedClient>| {
            !prepared.client.is_closed() && !prepared.is_broken.load(Ordering::Acquire)
        };
        lock_mutex(&self.client).as_ref().filter(is_usable).cloned()
    }

    /// Creates the tables if they do not exist.
    pub(crate) async fn prepare_schema(&self) -> Result<()> {
        match tokio::time::timeout(SCHEMA, self.create_tables()).await {
            Ok(created) => created,
            Err(_) => {
                let text = format!("the Postgres run store did not respond within {SCHEMA:?}");
                Err(Error::new(ErrorKind::Unavailable, text))
            }
        }
    }

    async fn create_tables(&self) -> Result<()> {
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
    let kind = kind_from_state(error.code().map(SqlState::code));
    Error::new(kind, "the Postgres run store failed").with_source(error)
}

/// The SQLSTATE of a change on a server that is read-only, such as a primary that became a standby.
const READ_ONLY: &str = "25006";

/// Returns whether an error with this SQLSTATE ended the connection; `None` is a connection error.
fn ends_connection(state: Option<&str>) -> bool {
    state.is_none_or(|state| state.starts_with("08") || matches!(state, "57P01" | "57P02"))
}

/// Returns the kind of an error by the class of its SQLSTATE; `None` means a connection error. Returns `Unavailable`
/// only if a retry can succeed.
fn kind_from_state(state: Option<&str>) -> ErrorKind {
    if state == Some(READ_ONLY) {
        return ErrorKind::Unavailable;
    }
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
            (Some("25006"), ErrorKind::Unavailable),
            (Some("25001"), ErrorKind::FailedPrecondition),
            (Some("28P01"), ErrorKind::Unauthenticated),
            (Some("3D000"), ErrorKind::FailedPrecondition),
            (Some("42501"), ErrorKind::FailedPrecondition),
        ] {
            assert_eq!(kind_from_state(state), kind, "{state:?}");
        }
    }

    #[test]
    fn each_host_has_all_settings() {
        let settings = "user=u password=p dbname=d options='-c a=b' application_name=n sslmode=require \
             sslnegotiation=direct connect_timeout=3 tcp_user_timeout=4 keepalives=1 keepalives_idle=5 \
             keepalives_interval=6 keepalives_retries=7 target_session_attrs=read-write channel_binding=require";
        let parse =
            |hosts: &str| format!("{settings} {hosts}").parse::<Config>().expect("valid settings");
        let both = split_hosts(&parse("host=a,b port=1,2"));
        assert_eq!(both, [parse("host=a port=1"), parse("host=b port=2")]);
        let both = split_hosts(&parse("hostaddr=10.0.0.1,10.0.0.2 port=1"));
        assert_eq!(both, [parse("hostaddr=10.0.0.1 port=1"), parse("hostaddr=10.0.0.2 port=1")]);
        for alone in ["host=a", "host=a,b,c port=1,2", "host=/run/a,b", "host=a,b hostaddr=::1"] {
            assert_eq!(split_hosts(&parse(alone)), [parse(alone)], "{alone}");
        }
    }
}
