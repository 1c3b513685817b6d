//! Synchronization of registries with a host's servers.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::host_state::HostState;
use super::selection::NameFilter;
use crate::event::McpEvent;
use crate::session::state::ListKind;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{Action, Registry};
use genkit_core::{Prompt, Resource, Tool};
use tokio::sync::watch;

/// The debounce time for changes, because a server often sends several notifications for one change.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// The poll interval for servers that do not report changes. Default is 60 seconds.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// The maximum number of warnings about shared URIs, and of warnings about registration errors. Default is 1,000 each.
const MAX_SAME: usize = 1000;

/// The kind of an action with its name or URI.
type ActionKey = (ListKind, String);

/// The actions of a host that are currently registered.
#[derive(Default)]
struct RegisteredActions {
    actions: BTreeMap<ActionKey, Action>,
    /// Errors of actions that could not be registered, each logged once.
    refused: BTreeSet<String>,
    /// URIs that two servers share, each logged once.
    same: BTreeSet<String>,
}

impl HostState {
    /// Starts to sync a registry, unless a sync is already running. The receiver becomes `true` when the first sync is
    /// complete. The sync runs in its own task and continues if a caller is cancelled.
    pub(crate) fn start_sync(self: &Arc<Self>, registry: &Registry) -> watch::Receiver<bool> {
        let mut known = lock(&self.registries);
        if let Some((_, is_in)) = known.iter().find(|(other, _)| other.is(registry)) {
            return is_in.clone();
        }
        let (done, is_in) = watch::channel(false);
        known.push((registry.clone(), is_in.clone()));
        let (host, registry) = (Arc::clone(self), registry.clone());
        tokio::spawn(async move {
            spawn_sync(&host, &registry).await;
            let _ = done.send(true);
        });
        is_in
    }
}

/// Registers the current items, and syncs them until the host is dropped.
async fn spawn_sync(host: &Arc<HostState>, registry: &Registry) {
    let mut changes = host.settings.changes.subscribe();
    let mut registered = RegisteredActions::default();
    registered.sync_registry(host, registry).await;
    let (host, dropped) = (Arc::downgrade(host), host.dropped.clone());
    let registry = registry.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = dropped.cancelled() => break,
                _ = changes.changed() => tokio::time::sleep(DEBOUNCE).await,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            changes.mark_unchanged();
            let Some(host) = Weak::upgrade(&host) else { break };
            registered.sync_registry(&host, &registry).await;
        }
        registered.actions.keys().for_each(|key| remove_action(&registry, key));
    });
}

impl RegisteredActions {
    /// Logs once that two servers offer a resource with the same URI.
    fn warn_duplicate_uri(&mut self, host: &HostState, first: &Action, second: &Action) {
        let (Action::Resource(first), Action::Resource(second)) = (first, second) else { return };
        let (Some(server), Some(other)) = (first.server(), second.server()) else { return };
        let uri = first.uri();
        if self.same.len() >= MAX_SAME || !self.same.insert(format!("{server} {other} {uri}")) {
            return;
        }
        let shown = Logged::text(uri);
        tracing::warn!(server, other, uri = %shown, "two MCP servers offer the same resource; only the first is registered");
        let (uri, server, other) = (uri.to_owned(), server.to_owned(), other.to_owned());
        host.settings.emit_event(&McpEvent::SameResource { uri, server, other });
    }

    /// Removes items that are gone, and registers new ones.
    async fn sync_registry(&mut self, host: &Arc<HostState>, registry: &Registry) {
        let all = NameFilter::for_all_servers(host);
        let (tools, prompts, resources) = tokio::join!(
            all.list_items::<Tool>(),
            all.list_items::<Prompt>(),
            all.list_items::<Resource>()
        );
        let tools = tools.into_iter().map(Action::Tool);
        let prompts = prompts.into_iter().map(Action::Prompt);
        let resources = resources.into_iter().map(Action::Resource);
        let mut now = BTreeMap::new();
        for action in tools.chain(prompts).chain(resources) {
            let Some(key) = action_key(&action) else { continue };
            // If two servers have the same URI, the first is registered.
            match now.entry(key) {
                Entry::Vacant(free) => drop(free.insert(action)),
                Entry::Occupied(taken) => self.warn_duplicate_uri(host, taken.get(), &action),
            }
        }
        self.actions.retain(|key, old| {
            let stays = now.get(key).is_some_and(|new| is_same(new, old));
            if !stays {
                remove_action(registry, key);
            }
            stays
        });
        for (key, action) in now {
            if self.actions.contains_key(&key) {
                continue;
            }
            match registry.insert(action.clone()) {
                Ok(()) => drop(self.actions.insert(key, action)),
                Err(error) => {
                    let error = error.to_string();
                    if self.refused.len() < MAX_SAME && self.refused.insert(error.clone()) {
                        let error = Logged::text(&error);
                        tracing::warn!(%error, "cannot register an action of an MCP server");
                    }
                }
            }
        }
    }
}

fn action_key(action: &Action) -> Option<ActionKey> {
    let (kind, name) = match action {
        Action::Tool(tool) => (ListKind::Tools, tool.name()),
        Action::Prompt(prompt) => (ListKind::Prompts, prompt.name()),
        Action::Resource(resource) => (ListKind::Resources, resource.uri()),
        // Servers have no other actions.
        _ => return None,
    };
    Some((kind, name.to_owned()))
}

fn is_same(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Tool(one), Action::Tool(other)) => one.is(other),
        (Action::Prompt(one), Action::Prompt(other)) => one.is(other),
        (Action::Resource(one), Action::Resource(other)) => one.is(other),
        _ => false,
    }
}

fn remove_action(registry: &Registry, (kind, name): &ActionKey) {
    match kind {
        ListKind::Tools => registry.remove_tool(name),
        ListKind::Prompts => registry.remove_prompt(name),
        ListKind::Resources => registry.remove_resource(name),
    };
}
