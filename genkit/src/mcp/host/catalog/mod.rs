//! Catalog of a server: its tools, prompts and resources, read once for each connection and change.

mod error;
pub(crate) mod host_state;
mod items;
mod pagination;
pub(crate) mod peer;
pub(crate) mod selection;
pub(crate) mod sync;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

use super::lifecycle::server::ManagedServer;
use super::limits::{LIST_RETRY_AFTER, SESSION_LIST_TTL, SLOW_LIST_PAUSE};
use super::session::connection::Connection;
use super::session::state::ListKind;
use super::status::ServerStatus;
use crate::action::{Prompt, Resource, Tool};
use crate::error::{Error as PublicError, ErrorKind, Result};
use crate::sync::lock;
use error::Error;
use pagination::{ListMethod, PagedList};

/// The catalog of one server.
pub(crate) struct Catalog {
    pub(crate) server: Arc<ManagedServer>,
    tools: CachedList<Tool>,
    prompts: CachedList<Prompt>,
    resources: CachedList<Resource>,
    health: Mutex<[ListHealth; 3]>,
}

/// One list. The lock is held while it is read: those who come meanwhile get what was read.
pub(crate) struct CachedList<T>(AsyncMutex<ListCache<T>>);

struct ListCache<T> {
    list: Option<VersionedList<T>>,
    /// The actions of the last list, by the fingerprints of their items: an item that comes again is the
    /// same action again.
    actions: HashMap<String, T>,
    failed: Option<(u64, Instant, PublicError)>,
}

struct VersionedList<T> {
    /// Which connection, and which version of its list.
    version: (u64, u64),
    until: Option<Instant>,
    items: Arc<[T]>,
}

/// How a list is, for those who wait for it and look at it.
#[derive(Default)]
struct ListHealth {
    /// What of it is left out.
    notices: Vec<String>,
    /// Why all of it was left out the last time.
    omitted: Option<String>,
    /// After so many connections it kept others waiting: until then it does not get the chance.
    slow: Option<(u64, Instant)>,
}

impl<T> Default for CachedList<T> {
    fn default() -> Self {
        Self(AsyncMutex::new(ListCache { list: None, actions: HashMap::new(), failed: None }))
    }
}

impl<T> ListCache<T> {
    fn fresh(&self, connection: &Connection, kind: ListKind) -> Option<Arc<[T]>> {
        let version = (connection.number, connection.session.list_version(kind));
        let list = self.list.as_ref().filter(|list| list.version == version)?;
        let is_fresh = list.until.is_none_or(|until| Instant::now() < until);
        is_fresh.then(|| Arc::clone(&list.items))
    }
}

/// Something that servers list.
pub(crate) trait Listable: Clone + Send + Sync + 'static {
    const KIND: ListKind;
    const METHODS: &'static [ListMethod];

    fn name(&self) -> &str;

    fn list(catalog: &Catalog) -> &CachedList<Self>;

    /// Makes of the listed items what can be made, with their fingerprints; takes known actions again.
    fn make(
        server: &Arc<ManagedServer>,
        connection: &Connection,
        items: Vec<(ListMethod, Value)>,
        notices: &mut Vec<String>,
        known: &HashMap<String, Self>,
    ) -> Vec<(String, Self)>;
}

macro_rules! listable {
    ($item:ident, $field:ident, $kind:ident, $methods:expr) => {
        impl Listable for $item {
            const KIND: ListKind = ListKind::$kind;
            const METHODS: &'static [ListMethod] = &$methods;

            fn name(&self) -> &str {
                self.name()
            }

            fn list(catalog: &Catalog) -> &CachedList<Self> {
                &catalog.$field
            }

            fn make(
                server: &Arc<ManagedServer>,
                connection: &Connection,
                items: Vec<(ListMethod, Value)>,
                notices: &mut Vec<String>,
                known: &HashMap<String, Self>,
            ) -> Vec<(String, Self)> {
                items::$field(server, connection, items, notices, known)
            }
        }
    };
}

listable!(Tool, tools, Tools, [ListMethod::Tools]);
listable!(Prompt, prompts, Prompts, [ListMethod::Prompts]);
listable!(Resource, resources, Resources, [ListMethod::Resources, ListMethod::Templates]);

impl Catalog {
    pub(crate) fn new(server: Arc<ManagedServer>) -> Self {
        Self {
            server,
            tools: CachedList::default(),
            prompts: CachedList::default(),
            resources: CachedList::default(),
            health: Mutex::default(),
        }
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let health = lock(&self.health);
        let notices = health.iter().flat_map(|list| list.notices.clone());
        self.server.status(notices.collect())
    }

    /// What the server has, read where it must be.
    pub(crate) async fn all<T: Listable>(&self) -> Result<Arc<[T]>> {
        let connection = self.server.connection().await?;
        let mut cache = T::list(self).0.lock().await;
        if let Some(items) = cache.fresh(&connection, T::KIND) {
            return Ok(items);
        }
        if let Some((number, when, error)) = &cache.failed
            && *number == connection.number
            && when.elapsed() < LIST_RETRY_AFTER
        {
            return Err(PublicError::new(error.kind(), error.to_string()));
        }
        // Before it is read: a change that comes meanwhile makes it stale.
        let version = (connection.number, connection.session.list_version(T::KIND));
        match self.read::<T>(&connection, &cache.actions).await {
            Ok((actions, ttl)) => {
                let until = ttl.and_then(|ttl| Instant::now().checked_add(ttl));
                let items: Arc<[T]> = actions.iter().map(|(_, item)| item.clone()).collect();
                cache.actions = actions.into_iter().collect();
                cache.list = Some(VersionedList { version, until, items: Arc::clone(&items) });
                cache.failed = None;
                Ok(items)
            }
            Err(error) => {
                let again = PublicError::new(error.kind(), error.to_string());
                cache.list = None;
                cache.failed = Some((connection.number, Instant::now(), again));
                Err(error)
            }
        }
    }

    /// What the server has, if that is known without a request.
    fn cached<T: Listable>(&self) -> Option<Arc<[T]>> {
        let connection = self.server.live_connection()?;
        T::list(self).0.try_lock().ok()?.fresh(&connection, T::KIND)
    }

    /// What the server has, as far as it may keep others waiting. It is read to its end all the same,
    /// for the next who needs it.
    pub(crate) async fn in_time<T: Listable>(self: &Arc<Self>) -> Result<Arc<[T]>> {
        if let Some(cached) = self.cached() {
            return Ok(cached);
        }
        if self.server.live_connection().is_none() && !self.server.is_starting() {
            return Err(Error::NotThere.into());
        }
        let limit = self.server.settings.startup;
        let kind = T::KIND as usize;
        let slow = lock(&self.health)[kind].slow;
        if slow.is_some_and(|(number, until)| {
            number == self.server.connections() && Instant::now() < until
        }) {
            return Err(Error::Slow(limit).into());
        }
        let reader = Arc::clone(self);
        let reading = tokio::spawn(async move { reader.all::<T>().await });
        match tokio::time::timeout(limit, reading).await {
            Ok(Ok(listed)) => listed,
            Ok(Err(_)) => Err(Error::ReaderPanicked.into()),
            Err(_) => {
                let until = Instant::now().checked_add(SLOW_LIST_PAUSE);
                let number = self.server.connections();
                lock(&self.health)[kind].slow = until.map(|until| (number, until));
                Err(Error::Slow(limit).into())
            }
        }
    }

    /// What the server has in time. A server without a list is left out, with one warning for one reason.
    pub(crate) async fn or_omitted<T: Listable>(self: &Arc<Self>) -> Option<Arc<[T]>> {
        let listed = self.in_time().await;
        let error = listed.as_ref().err().map(PublicError::chain);
        let omitted = &mut lock(&self.health)[T::KIND as usize].omitted;
        if let Some(error) = error.as_ref().filter(|error| omitted.as_ref() != Some(error)) {
            let (server, what) = (&*self.server.key, T::KIND);
            tracing::warn!(server, error, ?what, "what an MCP server has is left out");
        }
        *omitted = error;
        listed.ok()
    }

    /// Reads a list, and makes of it what can be made. It may be cached for the time that comes with it;
    /// for ever where the server tells when it changes.
    async fn read<T: Listable>(
        &self,
        connection: &Connection,
        known: &HashMap<String, T>,
    ) -> Result<(Vec<(String, T)>, Option<Duration>)> {
        let (mut items, mut notices, mut ttl) = (Vec::new(), Vec::new(), None);
        for (at, &method) in T::METHODS.iter().enumerate() {
            // What a server does not offer it is not asked for.
            if !method.is_offered(connection) {
                continue;
            }
            let list = match pagination::all(connection, method).await {
                Ok(list) => list,
                Err(failed) => {
                    let error = failed.error;
                    // Servers without templates may not know the method.
                    if at > 0 && error.kind() == ErrorKind::Unimplemented {
                        continue;
                    }
                    if failed.is_connection_lost {
                        connection.session.end();
                    }
                    let noted = PublicError::new(error.kind(), error.chain());
                    self.server.note_error(Some(noted));
                    return Err(error);
                }
            };
            let PagedList { items: listed, ttl: of_list, notice } = list;
            items.extend(listed.into_iter().map(|item| (method, item)));
            notices.extend(notice);
            if at == 0 {
                ttl = time_to_live(connection, of_list).filter(|_| !is_announced::<T>(connection));
            }
        }
        let actions = T::make(&self.server, connection, items, &mut notices, known);
        self.note(T::KIND, notices);
        Ok((actions, ttl))
    }

    /// Notes what of a list is left out, with one warning for each.
    fn note(&self, kind: ListKind, notices: Vec<String>) {
        let known = &mut lock(&self.health)[kind as usize].notices;
        for new in notices.iter().filter(|notice| !known.contains(notice)) {
            tracing::warn!(server = %self.server.key, "{new}");
        }
        *known = notices;
    }
}

/// How long a list may be cached where no change is announced. In sessions that is for ever.
fn time_to_live(connection: &Connection, ttl: Option<Duration>) -> Option<Duration> {
    if connection.is_stateless() {
        return Some(ttl.unwrap_or_default());
    }
    // Over HTTP the stream on which a change is announced may have broken.
    connection.is_remote().then_some(SESSION_LIST_TTL)
}

/// Whether a change of this list is announced: then the list need not age.
fn is_announced<T: Listable>(connection: &Connection) -> bool {
    let is_reliable = connection.is_stateless() || !connection.is_remote();
    connection.can_announce(T::KIND) && connection.session.is_announced(T::KIND) && is_reliable
}
