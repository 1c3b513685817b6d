//! What a server offers, read once for each connection and each change.

mod items;
pub(crate) mod pagination;
pub(crate) mod peer;
pub(crate) mod selection;
pub(crate) mod sync;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::lifecycle::server::Server;
use super::limits::{LIST_REST, SESSION_LIST};
use super::session::connection::Connection;
use super::session::notifications::Kind;
use crate::action::{Prompt, Resource, Tool};
use crate::error::{Error, Result};
use pagination::{Fetched, Listed};

/// The lists of a server.
#[derive(Default)]
pub(crate) struct Catalog {
    tools: Shelf<Tool>,
    prompts: Shelf<Prompt>,
    resources: Shelf<Resource>,
}

/// One list. The lock is held while it is read: those who come meanwhile get what was read.
pub(crate) struct Shelf<T>(Mutex<Slot<T>>);

struct Slot<T> {
    kept: Option<Kept<T>>,
    /// What was made of each item of the last list, by the item's fingerprint: what a server says
    /// again is the same again.
    made: Made<T>,
    failed: Option<(u64, Instant, Arc<Error>)>,
}

struct Kept<T> {
    /// Which connection, and which state of its list.
    at: (u64, u64),
    until: Option<Instant>,
    items: Arc<[T]>,
}

/// What was made of items, by their fingerprints.
pub(crate) type Made<T> = HashMap<String, T>;

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Mutex::new(Slot { kept: None, made: Made::new(), failed: None }))
    }
}

impl<T> Slot<T> {
    fn fresh(&self, connection: &Connection, kind: Kind) -> Option<Arc<[T]>> {
        let at = (connection.number, connection.inbox.version(kind));
        let kept = self.kept.as_ref().filter(|kept| kept.at == at)?;
        let fresh = kept.until.is_none_or(|until| Instant::now() < until);
        fresh.then(|| Arc::clone(&kept.items))
    }
}

/// Something that servers list.
pub(crate) trait Offered: Clone + Send + Sync + 'static {
    const KIND: Kind;

    fn shelf(catalog: &Catalog) -> &Shelf<Self>;

    /// Reads the list, and makes of it what can be made.
    fn read(
        server: &Arc<Server>,
        connection: &Connection,
        made: &Made<Self>,
    ) -> impl Future<Output = Result<Reading<Self>>> + Send;
}

/// A list as it was read.
pub(crate) struct Reading<T> {
    /// With their fingerprints.
    items: Vec<(String, T)>,
    /// For how long it may be kept; for ever where the server says when it changes.
    ttl: Option<Duration>,
}

/// What the server has, read where it must be.
pub(crate) async fn all<T: Offered>(server: &Arc<Server>) -> Result<Arc<[T]>> {
    let connection = server.connection().await?;
    let mut slot = T::shelf(&server.catalog).0.lock().await;
    if let Some(items) = slot.fresh(&connection, T::KIND) {
        return Ok(items);
    }
    if let Some((number, when, error)) = &slot.failed
        && *number == connection.number
        && when.elapsed() < LIST_REST
    {
        return Err(Error::new(error.kind(), error.to_string()));
    }
    // Before it is read: a change that comes meanwhile makes it stale.
    let at = (connection.number, connection.inbox.version(T::KIND));
    match T::read(server, &connection, &slot.made).await {
        Ok(Reading { items, ttl }) => {
            let until = ttl.and_then(|ttl| Instant::now().checked_add(ttl));
            let list: Arc<[T]> = items.iter().map(|(_, item)| item.clone()).collect();
            slot.made = items.into_iter().collect();
            slot.kept = Some(Kept { at, until, items: Arc::clone(&list) });
            slot.failed = None;
            Ok(list)
        }
        Err(error) => {
            let told = Error::new(error.kind(), error.to_string());
            slot.kept = None;
            slot.failed = Some((connection.number, Instant::now(), Arc::new(told)));
            Err(error)
        }
    }
}

/// What the server has, if that is known without asking it.
pub(crate) fn kept<T: Offered>(server: &Server) -> Option<Arc<[T]>> {
    let connection = server.up()?;
    T::shelf(&server.catalog).0.try_lock().ok()?.fresh(&connection, T::KIND)
}

impl Offered for Tool {
    const KIND: Kind = Kind::Tools;

    fn shelf(catalog: &Catalog) -> &Shelf<Self> {
        &catalog.tools
    }

    async fn read(
        server: &Arc<Server>,
        connection: &Connection,
        made: &Made<Self>,
    ) -> Result<Reading<Self>> {
        let ((listed, mut notices), ttl) = list(server, connection, Listed::Tools).await?;
        let items = items::tools(server, connection, listed, &mut notices, made);
        server.note("tools", notices);
        Ok(Reading { items, ttl: ttl.filter(|_| !announces(connection, Kind::Tools)) })
    }
}

impl Offered for Prompt {
    const KIND: Kind = Kind::Prompts;

    fn shelf(catalog: &Catalog) -> &Shelf<Self> {
        &catalog.prompts
    }

    async fn read(
        server: &Arc<Server>,
        connection: &Connection,
        made: &Made<Self>,
    ) -> Result<Reading<Self>> {
        let ((listed, mut notices), ttl) = list(server, connection, Listed::Prompts).await?;
        let items = items::prompts(server, listed, &mut notices, made);
        server.note("prompts", notices);
        Ok(Reading { items, ttl: ttl.filter(|_| !announces(connection, Kind::Prompts)) })
    }
}

/// Fixed ones, and templates.
impl Offered for Resource {
    const KIND: Kind = Kind::Resources;

    fn shelf(catalog: &Catalog) -> &Shelf<Self> {
        &catalog.resources
    }

    async fn read(
        server: &Arc<Server>,
        connection: &Connection,
        made: &Made<Self>,
    ) -> Result<Reading<Self>> {
        let (fixed, ttl) = list(server, connection, Listed::Resources).await?;
        // Servers without templates may not know the method.
        let templates = match list(server, connection, Listed::Templates).await {
            Err(error) if error.kind() == crate::ErrorKind::Unimplemented => (vec![], vec![]),
            other => other?.0,
        };
        let mut notices = [fixed.1, templates.1].concat();
        let items = items::resources(server, fixed.0, templates.0, &mut notices, made);
        server.note("resources", notices);
        Ok(Reading { items, ttl: ttl.filter(|_| !announces(connection, Kind::Resources)) })
    }
}

type Read = ((Vec<serde_json::Value>, Vec<String>), Option<Duration>);

/// The items with what is to be said of them. What a server does not offer it is not asked for.
async fn list(server: &Server, connection: &Connection, listed: Listed) -> Result<Read> {
    if !listed.is_offered(connection) {
        return Ok(((Vec::new(), Vec::new()), None));
    }
    match pagination::all(connection, listed).await {
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

/// Whether a change of this list is heard: then the list need not age.
fn announces(connection: &Connection, kind: Kind) -> bool {
    let heard = connection.is_stateless() || !connection.is_remote();
    connection.announces(kind) && connection.inbox.hears(kind) && heard
}
