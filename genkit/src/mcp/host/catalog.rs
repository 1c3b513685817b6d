//! What a server offers, read once for each connection and each change.

mod items;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::connection::Connection;
use super::fetch::{self, Fetched, Listed};
use super::inbox::Kind;
use super::limits::{LIST_REST, SESSION_LIST};
use super::server::Server;
use crate::action::{Prompt, Resource, Tool};
use crate::error::{Error, Result};

/// The lists of a server.
#[derive(Default)]
pub(super) struct Catalog {
    tools: Shelf<Tool>,
    prompts: Shelf<Prompt>,
    resources: Shelf<Resource>,
}

/// One list. The lock is held while it is read: those who come meanwhile get what was read.
struct Shelf<T>(Mutex<Slot<T>>);

struct Slot<T> {
    kept: Option<Kept<T>>,
    failed: Option<(u64, Instant, Arc<Error>)>,
}

struct Kept<T> {
    /// Which connection, and which state of its list.
    at: (u64, u64),
    until: Option<Instant>,
    items: Arc<[T]>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Mutex::new(Slot { kept: None, failed: None }))
    }
}

impl<T> Shelf<T> {
    async fn get<F>(
        &self,
        connection: &Connection,
        kind: Kind,
        read: impl FnOnce() -> F,
    ) -> Result<Arc<[T]>>
    where
        F: Future<Output = Result<(Vec<T>, Option<Duration>)>>,
    {
        let mut slot = self.0.lock().await;
        // Before it is read: a change that comes meanwhile makes it stale.
        let at = (connection.number, connection.inbox.version(kind));
        if let Some(kept) = &slot.kept
            && kept.at == at
            && kept.until.is_none_or(|until| Instant::now() < until)
        {
            return Ok(Arc::clone(&kept.items));
        }
        if let Some((number, when, error)) = &slot.failed
            && *number == connection.number
            && when.elapsed() < LIST_REST
        {
            return Err(Error::new(error.kind(), error.to_string()));
        }
        match read().await {
            Ok((items, ttl)) => {
                let until = ttl.and_then(|ttl| Instant::now().checked_add(ttl));
                let items: Arc<[T]> = items.into();
                slot.kept = Some(Kept { at, until, items: Arc::clone(&items) });
                slot.failed = None;
                Ok(items)
            }
            Err(error) => {
                let told = Error::new(error.kind(), error.to_string());
                slot.kept = None;
                slot.failed = Some((connection.number, Instant::now(), Arc::new(told)));
                Err(error)
            }
        }
    }
}

/// All tools that are wanted.
pub(super) async fn tools(server: &Arc<Server>) -> Result<Arc<[Tool]>> {
    let connection = server.connection().await?;
    let read = || async {
        let (items, ttl) = list(server, &connection, Listed::Tools).await?;
        let mut notices = items.1;
        let tools = items::tools(server, &connection, items.0, &mut notices);
        server.note("tools", notices);
        Ok((tools, ttl.filter(|_| !announces(&connection, Kind::Tools))))
    };
    server.catalog.tools.get(&connection, Kind::Tools, read).await
}

/// All prompts.
pub(super) async fn prompts(server: &Arc<Server>) -> Result<Arc<[Prompt]>> {
    let connection = server.connection().await?;
    let read = || async {
        let (items, ttl) = list(server, &connection, Listed::Prompts).await?;
        let mut notices = items.1;
        let prompts = items::prompts(server, items.0, &mut notices);
        server.note("prompts", notices);
        Ok((prompts, ttl.filter(|_| !announces(&connection, Kind::Prompts))))
    };
    server.catalog.prompts.get(&connection, Kind::Prompts, read).await
}

/// All resources, and templates of resources.
pub(super) async fn resources(server: &Arc<Server>) -> Result<Arc<[Resource]>> {
    let connection = server.connection().await?;
    let read = || async {
        let (fixed, ttl) = list(server, &connection, Listed::Resources).await?;
        // Servers without templates may not know the method.
        let (templates, _) = match list(server, &connection, Listed::Templates).await {
            Err(error) if error.kind() == crate::ErrorKind::Unimplemented => {
                ((vec![], vec![]), None)
            }
            other => other?,
        };
        let mut notices = [fixed.1, templates.1].concat();
        let resources = items::resources(server, fixed.0, templates.0, &mut notices);
        server.note("resources", notices);
        Ok((resources, ttl.filter(|_| !announces(&connection, Kind::Resources))))
    };
    server.catalog.resources.get(&connection, Kind::Resources, read).await
}

type Read = ((Vec<serde_json::Value>, Vec<String>), Option<Duration>);

/// The items with what is to be said of them. What a server does not offer it is not asked for.
async fn list(server: &Server, connection: &Connection, listed: Listed) -> Result<Read> {
    if !listed.is_offered(connection) {
        return Ok(((Vec::new(), Vec::new()), None));
    }
    match fetch::all(connection, listed).await {
        Ok(Fetched { items, ttl, notice }) => {
            Ok(((items, notice.into_iter().collect()), fresh(connection, ttl)))
        }
        Err(fault) => {
            if fault.lost {
                connection.inbox.end();
            }
            server.note_error(Some(Error::new(fault.error.kind(), fault.error.chain())));
            Err(fault.error)
        }
    }
}

/// How long a list may be kept without a word of the server. In sessions that is until it says so.
fn fresh(connection: &Connection, ttl: Option<Duration>) -> Option<Duration> {
    if connection.is_stateless() {
        return Some(ttl.unwrap_or_default());
    }
    // Over HTTP the stream on which it would say so may have broken.
    connection.is_remote().then_some(SESSION_LIST)
}

/// Whether the server says when a list changes.
fn announces(connection: &Connection, kind: Kind) -> bool {
    let offered = &connection.info.capabilities;
    let announced = match kind {
        Kind::Tools => offered.tools.as_ref().and_then(|tools| tools.list_changed),
        Kind::Prompts => offered.prompts.as_ref().and_then(|prompts| prompts.list_changed),
        Kind::Resources => offered.resources.as_ref().and_then(|resources| resources.list_changed),
    };
    let heard = connection.is_stateless() || !connection.is_remote();
    announced == Some(true) && connection.inbox.listens() && heard
}
