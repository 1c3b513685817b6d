//! Sync of registries: a host's actions in them follow its servers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::host_state::HostState;
use super::selection::NameFilter;
use crate::action::{Prompt, Resource, Tool};
use crate::registry::{Action, Registry};

/// Debounce of changes: one change of a server is often told in several notifications.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// How often servers that do not tell what changes are looked at. Default is 60 seconds.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// What of a host is in a registry now.
#[derive(Default)]
struct RegisteredActions {
    tools: BTreeMap<String, Tool>,
    prompts: BTreeMap<String, Prompt>,
    /// By URI.
    resources: BTreeMap<String, Resource>,
    /// Errors of actions that could not be put in, each logged once.
    refused: BTreeSet<String>,
}

/// Puts in what is there now, and keeps it in step until the host is dropped.
pub(crate) async fn start(host: &Arc<HostState>, registry: &Registry) {
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
        registered.clear(&registry);
    });
}

impl RegisteredActions {
    async fn sync(&mut self, host: &Arc<HostState>, registry: &Registry) {
        let all = NameFilter::all(host);
        let (tools, prompts, resources) =
            tokio::join!(all.list::<Tool>(), all.list::<Prompt>(), all.list::<Resource>());
        let refused = &mut self.refused;
        let mut add = |new: Action| put(registry, new, refused);
        let remove = |name: &str| registry.remove_tool(name);
        step(&mut self.tools, tools, Tool::name, Tool::is, remove, &mut add);
        let remove = |name: &str| registry.remove_prompt(name);
        step(&mut self.prompts, prompts, Prompt::name, Prompt::is, remove, &mut add);
        let remove = |uri: &str| registry.remove_resource(uri);
        step(&mut self.resources, resources, Resource::uri, Resource::is, remove, &mut add);
    }

    fn clear(&self, registry: &Registry) {
        self.tools.keys().for_each(|name| _ = registry.remove_tool(name));
        self.prompts.keys().for_each(|name| _ = registry.remove_prompt(name));
        self.resources.keys().for_each(|uri| _ = registry.remove_resource(uri));
    }
}

/// Takes out what is gone, and puts in what is new.
fn step<T: Clone + Into<Action>>(
    old: &mut BTreeMap<String, T>,
    now: Vec<T>,
    key: impl Fn(&T) -> &str,
    is_same: impl Fn(&T, &T) -> bool,
    remove: impl Fn(&str) -> bool,
    put: &mut impl FnMut(Action) -> bool,
) {
    let mut all = BTreeMap::new();
    for item in now {
        // Of two servers with one URI the first has it, as for who reads it here.
        all.entry(key(&item).to_owned()).or_insert(item);
    }
    let now = all;
    old.retain(|name, item| {
        let stays = now.get(name).is_some_and(|new| is_same(new, item));
        if !stays {
            remove(name);
        }
        stays
    });
    for (name, item) in now {
        if !old.contains_key(&name) && put(item.clone().into()) {
            old.insert(name, item);
        }
    }
}

fn put(registry: &Registry, action: Action, refused: &mut BTreeSet<String>) -> bool {
    let Err(error) = registry.insert(action) else { return true };
    let error = error.to_string();
    if !refused.contains(&error) {
        tracing::warn!(error, "an action of an MCP server is not registered");
        refused.insert(error);
    }
    false
}
