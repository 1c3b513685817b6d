//! Catalog of a server: its tools, prompts and resources, read once for each connection and change.

mod error;
pub(crate) mod host_state;
mod in_time;
pub(crate) mod items;
pub(crate) mod pagination;
pub(crate) mod peer;
pub(crate) mod selection;
pub(crate) mod sync;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

use super::fingerprint::fingerprint;
use super::lifecycle::server::ManagedServer;
use super::limits::{LIST_RETRY_AFTER, MAX_DEFINITION, SESSION_LIST_TTL};
use super::session::connection::Connection;
use super::session::state::ListKind;
use error::LeftOut;
use genkit_core::internal::action::MAX_URI_BYTES;
use genkit_core::internal::visible;
use genkit_core::{Error as PublicError, ErrorKind, Result};
use genkit_core::{Prompt, Resource, Tool};
use pagination::{ListMethod, PagedList};

/// How long a name may be, in bytes.
const MAX_NAME: usize = 256;

/// The catalog of one server.
pub(crate) struct Catalog {
    pub(crate) server: Arc<ManagedServer>,
    tools: CachedList<Tool>,
    prompts: CachedList<Prompt>,
    resources: CachedList<Resource>,
    health: Mutex<[ListHealth; 3]>,
}

/// One list. The lock is held while it is read: those who come meanwhile get what was read.
pub(crate) struct CachedList<T>(AsyncMutex<CacheState<T>>);

struct CacheState<T> {
    list: Option<VersionedList<T>>,
    /// The actions of the last list, by the fingerprints of their items: an item that comes again is the
    /// same action again.
    actions: HashMap<String, Listed<T>>,
    failed: Option<(u64, Instant, PublicError)>,
}

struct VersionedList<T> {
    /// Which connection, and which version of its list.
    version: (u64, u64),
    until: Option<Instant>,
    items: Arc<[Listed<T>]>,
}

/// An action of a server under both of its names.
#[derive(Clone)]
pub(crate) struct Listed<T> {
    /// Named `key/name`, as in a host.
    pub(crate) full: T,
    /// Named as the server names it, as in a client.
    pub(crate) bare: T,
}

/// How a list is, for those who wait for it and look at it.
#[derive(Default)]
struct ListHealth {
    /// What of it is left out.
    notices: Vec<String>,
    /// Why all of it was left out the last time.
    omitted: Option<String>,
    /// With so many connections made it was slow: until then nobody waits for it.
    slow: Option<(u64, Instant)>,
}

impl<T> Default for CachedList<T> {
    fn default() -> Self {
        Self(AsyncMutex::new(CacheState { list: None, actions: HashMap::new(), failed: None }))
    }
}

impl<T> CacheState<T> {
    fn fresh(&self, connection: &Connection, kind: ListKind) -> Option<Arc<[Listed<T>]>> {
        let version = (connection.number, connection.session.list_version(kind));
        let list = self.list.as_ref().filter(|list| list.version == version)?;
        let is_fresh = list.until.is_none_or(|until| Instant::now() < until);
        is_fresh.then(|| Arc::clone(&list.items))
    }
}

/// An item of a list, with its name or address.
#[derive(Clone, Copy)]
pub(crate) struct ListedItem<'a> {
    server: &'a Arc<ManagedServer>,
    connection: &'a Connection,
    item: &'a Value,
    name: &'a str,
}

/// Something that servers list.
pub(crate) trait Listable: Clone + Send + Sync + 'static {
    const KIND: ListKind;
    const METHODS: &'static [ListMethod];

    fn name(&self) -> &str;

    fn list(catalog: &Catalog) -> &CachedList<Self>;

    /// Makes an action of a listed item; what comes before its name is the key of its server, or nothing.
    fn make(listed: ListedItem<'_>, prefix: &str) -> Result<Self, LeftOut>;
}

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

    /// What the server has, read where it must be.
    pub(crate) async fn all<T: Listable>(&self) -> Result<Arc<[Listed<T>]>> {
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
                let items: Arc<[Listed<T>]> =
                    actions.iter().map(|(_, item)| item.clone()).collect();
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
    fn cached<T: Listable>(&self) -> Option<Arc<[Listed<T>]>> {
        let connection = self.server.live_connection()?;
        T::list(self).0.try_lock().ok()?.fresh(&connection, T::KIND)
    }

    /// Reads a list, and makes of it what can be made. It may be cached for the time that comes with it;
    /// for ever where the server tells when it changes.
    async fn read<T: Listable>(
        &self,
        connection: &Connection,
        known: &HashMap<String, Listed<T>>,
    ) -> Result<(Vec<(String, Listed<T>)>, Option<Duration>)> {
        let (mut items, mut notices, mut ttl) = (Vec::new(), Vec::new(), None);
        for (at, method) in T::METHODS.iter().enumerate() {
            // A server without the capability may not know the method.
            if !(method.is_offered)(&connection.info.capabilities) {
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
            let listed = listed.into_iter().enumerate();
            items.extend(listed.map(|(at, item)| (method, at + 1, item)));
            notices.extend(notice);
            if at == 0 {
                ttl = time_to_live(connection, of_list).filter(|_| !is_announced::<T>(connection));
            }
        }
        let actions = self.make(connection, &items, known, &mut notices);
        self.note(T::KIND, notices);
        Ok((actions, ttl))
    }

    /// Makes of each item what can be made; of two with one name the first counts. An item that was known
    /// before is the same action again.
    fn make<T: Listable>(
        &self,
        connection: &Connection,
        items: &[(&ListMethod, usize, Value)],
        known: &HashMap<String, Listed<T>>,
        notices: &mut Vec<String>,
    ) -> Vec<(String, Listed<T>)> {
        let mut names = HashSet::new();
        let mut actions = Vec::with_capacity(items.len());
        for (method, number, item) in items {
            let ListMethod { what, key, .. } = **method;
            let made = checked_name(item, key).and_then(|name| {
                if !names.insert((what, name)) {
                    return Err(LeftOut::NameTwice);
                }
                let print = fingerprint(&[what, &item.to_string()]);
                let pins = &self.server.pins;
                let holds = self.server.config.controls.hold_changed_tools;
                let is_wanted = what != "tool" || self.server.config.controls.wants(name);
                let is_held = what == "tool"
                    && is_wanted
                    && match known.contains_key(&print) {
                        true => pins.holds(name),
                        false => {
                            pins.is_held(&self.server.key, &self.server.settings, name, item, holds)
                        }
                    };
                if is_held {
                    return Err(LeftOut::Held);
                }
                let action = match known.get(&print) {
                    Some(action) => action.clone(),
                    None => {
                        let listed = ListedItem { server: &self.server, connection, item, name };
                        let full = T::make(listed, &format!("{}/", self.server.key))?;
                        Listed { full, bare: T::make(listed, "")? }
                    }
                };
                Ok(is_wanted.then_some((print, action)))
            });
            match made {
                Ok(made) => actions.extend(made),
                Err(why) => {
                    let name = item[key].as_str().unwrap_or_default();
                    // Names that are refused may hold anything.
                    let name: String = name.chars().take(80).flat_map(char::escape_debug).collect();
                    notices.push(format!("{what} {number} (`{name}`) is left out: {why}"));
                }
            }
        }
        actions
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

/// The name of an item that can be used, or its address, which may be longer.
fn checked_name<'a>(item: &'a Value, key: &'static str) -> Result<&'a str, LeftOut> {
    let Some(name) = item[key].as_str() else { return Err(LeftOut::NameNoText(key)) };
    let limit = if key == "name" { MAX_NAME } else { MAX_URI_BYTES };
    if name.is_empty() || name.len() > limit || name.chars().any(char::is_control) {
        return Err(LeftOut::Name(key));
    }
    if visible::line(name) != name {
        return Err(LeftOut::Hidden(key));
    }
    match genkit_schema::internal::size::json_size(item) {
        size if size > MAX_DEFINITION => Err(LeftOut::TooLarge(size)),
        _ => Ok(name),
    }
}
