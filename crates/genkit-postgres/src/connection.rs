//! The connection, made anew where it was lost.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use genkit::{BoxFuture, Error, ErrorKind, Result};
use tokio::sync::Mutex;
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
        let mut statements = self.statements.lock().await;
        if let Some(statement) = statements.get(text) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(text).await.map_err(failed)?;
        statements.insert(text, statement.clone());
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
        let mut client = self.client.lock().await;
        if let Some(prepared) = client.as_ref().filter(|prepared| !prepared.client.is_closed()) {
            return Ok(Arc::clone(prepared));
        }
        let new = Prepared { client: (self.connect)().await?, statements: Mutex::default() };
        let new = Arc::new(new);
        *client = Some(Arc::clone(&new));
        Ok(new)
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

/// What the server, or the way to it, failed with.
pub(crate) fn failed(error: tokio_postgres::Error) -> Error {
    Error::new(ErrorKind::Unavailable, "the Postgres store of runs failed").with_source(error)
}
