//! The catalog of a server: its tools, prompts and resources, read once per connection and again after a change.

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

use super::lifecycle::server::ManagedServer;
use super::limits::{LIST_RETRY_AFTER, MAX_DEFINITION, SESSION_LIST_TTL};
use super::session::connection::Connection;
use super::session::state::ListKind;
use crate::fingerprint::hash_texts;
use error::ItemError;
use genkit_core::internal::action::MAX_URI_BYTES;
use genkit_core::internal::visible;
use genkit_core::{Error as PublicError, ErrorKind, Result};
use genkit_core::{Prompt, Resource, Tool};
use pagination::{ListMethod, PagedList};

/// The longest name, in bytes.
const MAX_NAME: usize = 256;

/// The catalog of one server.
pub(crate) struct Catalog {
    pub(crate) server: Arc<ManagedServer>,
    tools: CachedList<Tool>,
    prompts: CachedList<Prompt>,
    resources: CachedList<Resource>,
    health: Mutex<[ListHealth; 3]>,
}

/// A cached list. The lock is held while the list is read, so that concurrent callers share the result.
pub(crate) struct CachedList<T>(AsyncMutex<CacheState<T>>);

struct CacheState<T> {
    list: Option<VersionedList<T>>,
    /// The actions of the last list, keyed by the fingerprints of their items, so that an unchanged item keeps its
    /// action.
    actions: HashMap<String, NamedAction<T>>,
    failed: Option<(u64, Instant, PublicError)>,
}

struct VersionedList<T> {
    /// The number of the connection, and the version of its list.
    version: (u64, u64),
    until: Option<Instant>,
    items: Arc<[NamedAction<T>]>,
}

/// An action of a server under both of its names.
#[derive(Clone)]
pub(crate) struct NamedAction<T> {
    /// Named `key/name`, for the host.
    pub(crate) full: T,
    /// With the server's own name, for the client.
    pub(crate) bare: T,
}

/// The omitted items and the last failure of a list.
#[derive(Default)]
struct ListHealth {
    /// The omitted items.
    notices: Vec<String>,
    /// The reason why the whole list was last omitted.
    omitted: Option<String>,
    /// The connection count when the list was last slow, and the time until which callers do not wait for it.
    slow: Option<(u64, Instant)>,
}

impl<T> Default for CachedList<T> {
    fn default() -> Self {
        Self(AsyncMutex::new(CacheState { list: None, actions: HashMap::new(), failed: None }))
    }
}

impl<T> CacheState<T> {
    fn fresh_items(
        &self,
        connection: &Connection,
        kind: ListKind,
    ) -> Option<Arc<[NamedAction<T>]>> {
        let version = (connection.number, connection.session.list_version(kind));
        let list = self.list.as_ref().filter(|list| list.version == version)?;
        let is_fresh = list.until.is_none_or(|until| Instant::now() < until);
        is_fresh.then(|| Arc::clone(&list.items))
    }
}

/// An item of a list, with its name or URI.
#[derive(Clone, Copy)]
pub(crate) struct ListedItem<'a> {
    server: &'a Arc<ManagedServer>,
    connection: &'a Connection,
    item: &'a Value,
    name: &'a str,
}

/// A type of item that servers list.
pub(crate) trait Listable: Clone + Send + Sync + 'static {
    const KIND: ListKind;
    const METHODS: &'static [ListMethod];

    fn item_name(&self) -> &str;

    fn cached_list(catalog: &Catalog) -> &CachedList<Self>;

    /// Returns whether a model may use the item. All other items are only for the pages of their
    /// server.
    fn is_for_models(&self) -> bool {
        true
    }

    /// Creates the action of a listed item; `prefix` is the key of its server with a `/`, or empty.
    fn from_listed(listed: ListedItem<'_>, prefix: &str) -> Result<Self, ItemError>;
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

    /// Returns the server's items, requesting the list if necessary.
    pub(crate) async fn all_items<T: Listable>(&self) -> Result<Arc<[NamedAction<T>]>> {
        let connection = self.server.wait_connected().await?;
        let mut cache = T::cached_list(self).0.lock().await;
        if let Some(items) = cache.fresh_items(&connection, T::KIND) {
            return Ok(items);
        }
        if let Some((number, when, error)) = &cache.failed
            && *number == connection.number
            && when.elapsed() < LIST_RETRY_AFTER
        {
            return Err(PublicError::new(error.kind(), error.to_string()));
        }
        // Determined before reading, so that a concurrent change makes the list stale.
        let version = (connection.number, connection.session.list_version(T::KIND));
        match self.read::<T>(&connection, &cache.actions).await {
            Ok((actions, ttl)) => {
                let until = ttl.and_then(|ttl| Instant::now().checked_add(ttl));
                let items: Arc<[NamedAction<T>]> =
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

    /// Returns the server's items if they are cached.
    fn cached_items<T: Listable>(&self) -> Option<Arc<[NamedAction<T>]>> {
        let connection = self.server.live_connection()?;
        T::cached_list(self).0.try_lock().ok()?.fresh_items(&connection, T::KIND)
    }

    /// Reads a list and converts its items. Also returns how long it may be cached; `None` means until the server
    /// reports a change.
    async fn read<T: Listable>(
        &self,
        connection: &Connection,
        known: &HashMap<String, NamedAction<T>>,
    ) -> Result<(Vec<(String, NamedAction<T>)>, Option<Duration>)> {
        let (mut items, mut notices, mut ttl) = (Vec::new(), Vec::new(), None);
        for (at, method) in T::METHODS.iter().enumerate() {
            // A server without the capability might not support the method.
            if !(method.is_offered)(&connection.info.capabilities) {
                continue;
            }
            let list = match pagination::read_all_pages(connection, method).await {
                Ok(list) => list,
                Err(failed) => {
                    let error = failed.error;
                    // Servers without templates might not support the method.
                    if at > 0 && error.kind() == ErrorKind::Unimplemented {
                        continue;
                    }
                    if failed.is_connection_lost {
                        connection.session.end_session();
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
        let actions = self.make_actions(connection, &items, known, &mut notices);
        self.record_notices(T::KIND, notices);
        Ok((actions, ttl))
    }

    /// Converts the items; if two have the same name, the first is kept. An unchanged item keeps its action.
    fn make_actions<T: Listable>(
        &self,
        connection: &Connection,
        items: &[(&ListMethod, usize, Value)],
        known: &HashMap<String, NamedAction<T>>,
        notices: &mut Vec<String>,
    ) -> Vec<(String, NamedAction<T>)> {
        let mut names = HashSet::new();
        let mut actions = Vec::with_capacity(items.len());
        for (method, number, item) in items {
            let ListMethod { what, key, .. } = **method;
            let made = validate_name(item, key).and_then(|name| {
                if !names.insert((what, name)) {
                    return Err(ItemError::DuplicateName);
                }
                let print = hash_texts(&[what, &item.to_string()]);
                let pins = &self.server.pins;
                let holds = self.server.config.controls.hold_changed_tools;
                let is_wanted = what != "tool" || self.server.config.controls.is_offered(name);
                let is_held = what == "tool"
                    && is_wanted
                    && match known.contains_key(&print) {
                        true => pins.is_held(name),
                        false => pins.check_tool(
                            &self.server.key,
                            &self.server.settings,
                            name,
                            item,
                            holds,
                        ),
                    };
                if is_held {
                    return Err(ItemError::DefinitionChanged);
                }
                let action = match known.get(&print) {
                    Some(action) => action.clone(),
                    None => {
                        let listed = ListedItem { server: &self.server, connection, item, name };
                        let full = T::from_listed(listed, &format!("{}/", self.server.key))?;
                        NamedAction { full, bare: T::from_listed(listed, "")? }
                    }
                };
                Ok(is_wanted.then_some((print, action)))
            });
            match made {
                Ok(made) => actions.extend(made),
                Err(why) => {
                    let name = item[key].as_str().unwrap_or_default();
                    // An invalid name may contain any character.
                    let name: String = name.chars().take(80).flat_map(char::escape_debug).collect();
                    notices.push(format!("omitted {what} {number} (`{name}`): {why}"));
                }
            }
        }
        actions
    }
}

/// Returns how long a list may be cached if the server reports no changes; `None` means without a limit.
fn time_to_live(connection: &Connection, ttl: Option<Duration>) -> Option<Duration> {
    if connection.is_stateless() {
        return Some(ttl.unwrap_or_default());
    }
    // Over HTTP the stream that reports changes may be broken.
    connection.is_remote().then_some(SESSION_LIST_TTL)
}

/// Returns whether the server reports changes to this list, so that the cached list does not need to expire.
fn is_announced<T: Listable>(connection: &Connection) -> bool {
    let is_reliable = connection.is_stateless() || !connection.is_remote();
    connection.can_announce(T::KIND) && connection.session.is_announced(T::KIND) && is_reliable
}

/// Returns the name or URI of an item if it is valid. A URI may be longer than a name.
fn validate_name<'a>(item: &'a Value, key: &'static str) -> Result<&'a str, ItemError> {
    let Some(name) = item[key].as_str() else { return Err(ItemError::NameNotString(key)) };
    let limit = if key == "name" { MAX_NAME } else { MAX_URI_BYTES };
    if name.is_empty() || name.len() > limit || name.chars().any(char::is_control) {
        return Err(ItemError::Name(key));
    }
    if visible::escape_line(name) != name {
        return Err(ItemError::InvisibleCharacters(key));
    }
    match genkit_schema::internal::size::json_size(item) {
        size if size > MAX_DEFINITION => Err(ItemError::TooLarge(size)),
        _ => Ok(name),
    }
}
