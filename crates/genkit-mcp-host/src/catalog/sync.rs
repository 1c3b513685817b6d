//! Sync of registries: a host's actions in them follow its servers.

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

/// Debounce of changes: a server often sends several notifications for one change.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// Poll interval for servers that do not notify of changes. Default is 60 seconds.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// How many addresses of two servers are told. Default is 1,000.
const MAX_SAME: usize = 1000;

/// An action by its kind and its name, or URI.
type ActionKey = (ListKind, String);

/// What of a host is in a registry now.
#[derive(Default)]
struct RegisteredActions {
    actions: BTreeMap<ActionKey, Action>,
    /// Errors of actions that could not be put in, each logged once.
    refused: BTreeSet<String>,
    /// Addresses of two servers that were told.
    same: BTreeSet<String>,
}

impl HostState {
    /// Syncs a registry, once for all who want it; tells when what is there now is in. It is a task of
    /// its own: whoever waits may give up.
    pub(crate) fn sync(self: &Arc<Self>, registry: &Registry) -> watch::Receiver<bool> {
        let mut known = lock(&self.registries);
        if let Some((_, is_in)) = known.iter().find(|(other, _)| other.is(registry)) {
            return is_in.clone();
        }
        let (done, is_in) = watch::channel(false);
        known.push((registry.clone(), is_in.clone()));
        let (host, registry) = (Arc::clone(self), registry.clone());
        tokio::spawn(async move {
            start(&host, &registry).await;
            let _ = done.send(true);
        });
        is_in
    }
}

/// Puts in what is there now, and syncs it until the host is dropped.
async fn start(host: &Arc<HostState>, registry: &Registry) {
    let mut changes = host.settings.changes.subscribe();
    let mut registered = RegisteredActions::default();
    registered.sync(host, registry).await;
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
            registered.sync(&host, &registry).await;
        }
        registered.actions.keys().for_each(|key| remove(&registry, key));
    });
}

impl RegisteredActions {
    /// Tells once that two servers have one address.
    fn tell_same(&mut self, host: &HostState, first: &Action, second: &Action) {
        let (Action::Resource(first), Action::Resource(second)) = (first, second) else { return };
        let (Some(server), Some(other)) = (first.server(), second.server()) else { return };
        let uri = first.uri();
        if self.same.len() >= MAX_SAME || !self.same.insert(format!("{server} {other} {uri}")) {
            return;
        }
        let shown = Logged::text(uri);
        tracing::warn!(server, other, uri = %shown, "two MCP servers offer one resource: the first has it");
        let (uri, server, other) = (uri.to_owned(), server.to_owned(), other.to_owned());
        host.settings.emit(&McpEvent::SameResource { uri, server, other });
    }

    /// Takes out what is gone, and puts in what is new.
    async fn sync(&mut self, host: &Arc<HostState>, registry: &Registry) {
        let all = NameFilter::all(host);
        let (tools, prompts, resources) =
            tokio::join!(all.list::<Tool>(), all.list::<Prompt>(), all.list::<Resource>());
        let tools = tools.into_iter().map(Action::Tool);
        let prompts = prompts.into_iter().map(Action::Prompt);
        let resources = resources.into_iter().map(Action::Resource);
        let mut now = BTreeMap::new();
        for action in tools.chain(prompts).chain(resources) {
            let Some(key) = key(&action) else { continue };
            // Of two servers with one URI the first has it.
            match now.entry(key) {
                Entry::Vacant(free) => drop(free.insert(action)),
                Entry::Occupied(taken) => self.tell_same(host, taken.get(), &action),
            }
        }
        self.actions.retain(|key, old| {
            let stays = now.get(key).is_some_and(|new| is_same(new, old));
            if !stays {
                remove(registry, key);
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
                        tracing::warn!(%error, "an action of an MCP server is not registered");
                    }
                }
            }
        }
    }
}

fn key(action: &Action) -> Option<ActionKey> {
    let (kind, name) = match action {
        Action::Tool(tool) => (ListKind::Tools, tool.name()),
        Action::Prompt(prompt) => (ListKind::Prompts, prompt.name()),
        Action::Resource(resource) => (ListKind::Resources, resource.uri()),
        // Servers have no others.
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

fn remove(registry: &Registry, (kind, name): &ActionKey) {
    match kind {
        ListKind::Tools => registry.remove_tool(name),
        ListKind::Prompts => registry.remove_prompt(name),
        ListKind::Resources => registry.remove_resource(name),
    };
}
