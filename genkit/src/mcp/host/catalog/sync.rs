//! A host's actions in a registry, kept in step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Weak;
use std::time::Duration;

use crate::action::{Prompt, Resource, Tool};
use crate::mcp::host::mcp_host::{Inner, McpHost};
use crate::registry::{Action, Registry};

/// Changes that come together are taken together.
const MOMENT: Duration = Duration::from_millis(50);

/// How often servers that do not say what changes are looked at. Default is 60 seconds.
const LOOK: Duration = Duration::from_secs(60);

/// What of a host is in a registry now.
#[derive(Default)]
struct Mirror {
    tools: BTreeMap<String, Tool>,
    prompts: BTreeMap<String, Prompt>,
    /// By URI.
    resources: BTreeMap<String, Resource>,
    /// What could not be put in, and was said.
    refused: BTreeSet<String>,
}

/// Puts in what is there now, and keeps it in step until the host is dropped.
pub(crate) async fn start(host: &McpHost, registry: &Registry) {
    let mut changes = host.0.settings.changes.subscribe();
    let mut mirror = Mirror::default();
    mirror.sync(host, registry).await;
    let (weak, dropped) = (std::sync::Arc::downgrade(&host.0), host.0.dropped.clone());
    let registry = registry.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = dropped.cancelled() => break,
                _ = changes.changed() => tokio::time::sleep(MOMENT).await,
                () = tokio::time::sleep(LOOK) => {}
            }
            changes.mark_unchanged();
            let Some(host) = alive(&weak) else { break };
            mirror.sync(&host, &registry).await;
        }
        mirror.clear(&registry);
    });
}

fn alive(host: &Weak<Inner>) -> Option<McpHost> {
    host.upgrade().map(McpHost)
}

impl Mirror {
    async fn sync(&mut self, host: &McpHost, registry: &Registry) {
        let lists = tokio::join!(
            host.tools().into_future(),
            host.prompts().into_future(),
            host.resources().into_future(),
        );
        let (Ok(tools), Ok(prompts), Ok(resources)) = lists else { return };
        let Self { tools: old_tools, prompts: old_prompts, resources: old_resources, refused } =
            self;
        step(
            old_tools,
            tools,
            |t| t.name(),
            Tool::is,
            |n| registry.remove_tool(n),
            |new| put(registry, new, refused),
        );
        step(
            old_prompts,
            prompts,
            |p| p.name(),
            Prompt::is,
            |n| registry.remove_prompt(n),
            |new| put(registry, new, refused),
        );
        let remove = |uri: &str| registry.remove_resource(uri);
        step(
            old_resources,
            resources,
            |r| r.uri(),
            Resource::is,
            remove,
            |new| put(registry, new, refused),
        );
    }

    fn clear(&self, registry: &Registry) {
        self.tools.keys().for_each(|name| _ = registry.remove_tool(name));
        self.prompts.keys().for_each(|name| _ = registry.remove_prompt(name));
        self.resources.keys().for_each(|uri| _ = registry.remove_resource(uri));
    }
}

/// Takes out what is gone, and puts in what is new.
fn step<T: Clone>(
    old: &mut BTreeMap<String, T>,
    now: Vec<T>,
    key: impl Fn(&T) -> &str,
    same: impl Fn(&T, &T) -> bool,
    remove: impl Fn(&str) -> bool,
    mut put: impl FnMut(&T) -> bool,
) {
    let mut all = BTreeMap::new();
    for item in now {
        // Of two servers with one URI the first has it, as for who reads it here.
        all.entry(key(&item).to_owned()).or_insert(item);
    }
    let now = all;
    old.retain(|name, item| {
        let stays = now.get(name).is_some_and(|new| same(new, item));
        if !stays {
            remove(name);
        }
        stays
    });
    for (name, item) in now {
        if !old.contains_key(&name) && put(&item) {
            old.insert(name, item);
        }
    }
}

fn put<T: Clone + Into<Action>>(
    registry: &Registry,
    item: &T,
    refused: &mut BTreeSet<String>,
) -> bool {
    match registry.insert(item.clone()) {
        Ok(()) => true,
        Err(error) => {
            let said = error.to_string();
            if refused.insert(said.clone()) {
                tracing::warn!(error = said, "an action of an MCP server is not registered");
            }
            false
        }
    }
}
