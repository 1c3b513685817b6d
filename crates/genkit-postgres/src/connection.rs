//! The connection, made anew where it was lost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use genkit::{BoxFuture, Error, ErrorKind, Result};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row, Socket, Statement};

use crate::statements::{TABLES, VERSION};

/// How long connecting may take. Default is 10 seconds.
const CONNECT: Duration = Duration::from_secs(10);

type Connect = dyn Fn() -> BoxFuture<'static, Result<Client>> + Send + Sync;

/// One connection that all share: what is asked at the same moment is sent together.
pub(crate) struct Connection {
    connect: Box<Connect>,
    client: Mutex<Option<Arc<Prepared>>>,
}

/// A client with the statements that it has prepared.
pub(crate) struct Prepared {
    client: Client,
    statements: Mutex<HashMap<&'static str, Statement>>,
}

impl Prepared {
    /// The rows that a statement gives.
    pub(crate) async fn rows(
        &self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let statement = self.statement(text).await?;
        self.client.query(&statement, values).await.map_err(failed)
    }

    async fn statement(&self, text: &'static str) -> Result<Statement> {
        let known = lock(&self.statements).get(text).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        // No lock is held meanwhile: whoever waits for this may be asked for nothing until another has an answer.
        let statement = self.client.prepare(text).await.map_err(failed)?;
        lock(&self.statements).insert(text, statement.clone());
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
        let connect = move || -> BoxFuture<'static, Result<Client>> {
            let (config, tls) = (config.clone(), tls.clone());
            Box::pin(async move {
                let (client, connection) = config.connect(tls).await.map_err(failed)?;
                tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        tracing::warn!(%error, "the connection to the Postgres store of runs is lost");
                    }
                });
                Ok(client)
            })
        };
        Self { connect: Box::new(connect), client: Mutex::new(None) }
    }

    /// The connection that there is, or a new one.
    pub(crate) async fn client(&self) -> Result<Arc<Prepared>> {
        if let Some(prepared) = self.open() {
            return Ok(prepared);
        }
        let new = Prepared { client: (self.connect)().await?, statements: Mutex::default() };
        // Another may have been faster.
        Ok(self.open().unwrap_or_else(|| {
            let new = Arc::new(new);
            *lock(&self.client) = Some(Arc::clone(&new));
            new
        }))
    }

    fn open(&self) -> Option<Arc<Prepared>> {
        lock(&self.client).as_ref().filter(|prepared| !prepared.client.is_closed()).cloned()
    }

    /// Makes the tables where there are none.
    pub(crate) async fn prepare(&self) -> Result<()> {
        let client = &self.client().await?.client;
        client.batch_execute(TABLES).await.map_err(failed)?;
        let row = client.query_one("SELECT max(version) FROM genkit_schema", &[]).await;
        let version: i32 = row.and_then(|row| row.try_get(0)).map_err(failed)?;
        if version > VERSION {
            let text = format!(
                "the store of runs has tables of the version {version}, and this program knows {VERSION}: use a newer one"
            );
            return Err(Error::new(ErrorKind::FailedPrecondition, text));
        }
        Ok(())
    }
}

/// Nothing here can be half done: what panicked under a lock left it whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the server, or the way to it, failed with.
pub(crate) fn failed(error: tokio_postgres::Error) -> Error {
    Error::new(ErrorKind::Unavailable, "the Postgres store of runs failed").with_source(error)
}
