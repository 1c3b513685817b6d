//! Views: the listed items that a caller has access to. Callers with the same permissions share a view.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::{Items, Lists};
use crate::permission::Item;
use crate::session::ClientDescription;
use genkit_core::internal::fair_share::{Item as Held, find_greediest};
use genkit_core::internal::sync::lock;

/// The maximum number of views cached per version of the registry. Default is 64; a further view replaces the oldest
/// view of the client with the most views.
const MAX_VIEWS: usize = 64;

/// A view, the client that it was built for first, and the time.
type CachedView = (Arc<Lists>, u64, Instant);

/// The cached views. The key is a bit set of the visible items.
#[derive(Default)]
pub(super) struct Views(Mutex<HashMap<Box<[u64]>, CachedView>>);

impl Lists {
    /// Returns the part of the lists that `permits` allows for a client, or the lists themselves if it allows all
    /// items.
    pub(crate) fn view_for(
        self: &Arc<Self>,
        client: u64,
        permits: impl Fn(Item<'_>) -> bool,
    ) -> Arc<Self> {
        let seen: Vec<bool> = self.items.iter().map(permits).collect();
        if seen.iter().all(|seen| *seen) {
            return Arc::clone(self);
        }
        let key: Box<[u64]> = seen.chunks(64).map(word).collect();
        if let Some((view, ..)) = lock(&self.views.0).get(&key) {
            return Arc::clone(view);
        }
        // Build the view without holding the lock. If another request inserts the same view first, that view is
        // used.
        let items = self.items.only(&seen);
        let (names, is_private) = (Arc::clone(&self.names), self.is_private);
        let lists = Arc::new(Self::from_items(self.version, items, names, is_private));
        let mut views = lock(&self.views.0);
        if views.len() >= MAX_VIEWS {
            let held = views.iter();
            let held = held.map(|(id, (_, owner, age))| Held { id, owner, weight: 1, age });
            let greediest = find_greediest(held).map(|(id, _)| id.clone());
            greediest.and_then(|id| views.remove(&id));
        }
        Arc::clone(&views.entry(key).or_insert((lists, client, Instant::now())).0)
    }

    /// Returns the part of the lists for a client. Tools for MCP Apps are omitted for a client without MCP Apps,
    /// which would offer them to its model.
    pub(crate) fn for_client(self: &Arc<Self>, client: &ClientDescription) -> Arc<Self> {
        if !self.has_app_tools || client.shows_apps() {
            return Arc::clone(self);
        }
        self.view_for(0, |item| !matches!(item, Item::Tool(tool) if tool.is_for_apps_only()))
    }

    /// Returns whether any function requires scopes.
    pub(crate) fn has_permits(&self) -> bool {
        self.has_permits
    }

    /// Returns whether calls to any tool can become tasks.
    pub(crate) fn has_tasks(&self) -> bool {
        self.has_tasks
    }
}

fn word(bits: &[bool]) -> u64 {
    bits.iter().enumerate().fold(0, |word, (place, bit)| word | (u64::from(*bit) << place))
}

impl Items {
    pub(super) fn iter(&self) -> impl Iterator<Item = Item<'_>> {
        let (tools, prompts) =
            (self.tools.iter().map(Item::Tool), self.prompts.iter().map(Item::Prompt));
        let resources = self.resources.iter().map(Item::Resource);
        tools.chain(prompts).chain(resources).chain(self.skills.iter().map(Item::Skill))
    }

    /// Returns the items marked in `seen`, a list in the order of `iter`.
    fn only(&self, seen: &[bool]) -> Self {
        let (tools, rest) = seen.split_at(self.tools.len());
        let (prompts, rest) = rest.split_at(self.prompts.len());
        let (resources, skills) = rest.split_at(self.resources.len());
        Self {
            tools: only(&self.tools, tools),
            prompts: only(&self.prompts, prompts),
            resources: only(&self.resources, resources),
            skills: only(&self.skills, skills),
        }
    }
}

fn only<T: Clone>(items: &[T], seen: &[bool]) -> Vec<T> {
    items.iter().zip(seen).filter(|(_, seen)| **seen).map(|(item, _)| item.clone()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use bytes::Bytes;

    use crate::instance::ServedInstance;
    use crate::lists::{ListKind, Lists};
    use crate::session::Era;
    use crate::state::SharedState;
    use crate::{McpServer, Principal};
    use genkit_core::internal::sync::lock;
    use genkit_core::{Context, Prompt, Registry, Tool};

    const KINDS: [ListKind; 5] = [
        ListKind::Tools,
        ListKind::Prompts,
        ListKind::Resources,
        ListKind::Templates,
        ListKind::Skills,
    ];

    fn tool(name: &'static str, scope: &'static str) -> Tool {
        let builder = Tool::builder(name, "A tool.").permit(scope);
        builder.handler(|_: Context, (): ()| async { Ok("") })
    }

    /// Builds a server with two different views, and returns it with its registry.
    fn serving() -> (Arc<SharedState>, Registry) {
        let prompt = Prompt::builder("hidden", "From those named `guest-..`.");
        let prompt = prompt.handler(|_: Context, (): ()| async { Ok("text".to_owned()) });
        let tools = [tool("open", ""), tool("write", "write")];
        let registry = Registry::new().add(tools).add([prompt]);
        let server = McpServer::new(ServedInstance::with_registry(registry.clone()));
        let server = server.permit(|caller, item| {
            item.name() != "hidden" || caller.principal().is_some_and(|it| it.id().starts_with("w"))
        });
        (server.check(false).unwrap(), registry)
    }

    /// Requests all lists for 50 writers and 50 guests; returns the number of distinct lists and of serialized
    /// pages.
    fn count_lists_and_pages(shared: &SharedState) -> (usize, usize) {
        let (mut lists, mut pages): (Vec<Arc<Lists>>, Vec<Bytes>) = Default::default();
        for number in 0..50 {
            let writer = Principal::new(format!("writer-{number}")).with_scopes(["write"]);
            let guest = Principal::new(format!("guest-{number}"));
            for (caller, names) in [(&writer, &["open", "write"][..]), (&guest, &["open"])] {
                let view = shared.lists_for(&shared.caller_for(Some(caller)));
                for (kind, era) in KINDS.iter().flat_map(|k| [(k, Era::Legacy), (k, Era::Modern)]) {
                    pages
                        .push(view.encoded_page(*kind, era, None, &shared.settings.pages).unwrap());
                }
                let shown = view.tools(Era::Modern).iter().map(|tool| &*tool.name);
                assert_eq!(shown.filter(|name| *name != "more").collect::<Vec<_>>(), names);
                assert_eq!(view.prompts.len(), names.len() - 1);
                lists.push(view);
            }
        }
        let lists: HashSet<_> = lists.iter().map(Arc::as_ptr).collect();
        // All pages are still alive here, so no two share an address.
        let pages: HashSet<_> = pages.iter().map(|page| page.as_ptr()).collect();
        (lists.len(), pages.len())
    }

    /// A client with many sets of permissions replaces only its own views.
    #[test]
    fn client_with_many_views_leaves_the_views_of_others() {
        let tools = (0..100).map(|number| tool("open", "").renamed(format!("tool-{number}")));
        let server = McpServer::new(ServedInstance::with_registry(Registry::new().add(tools)));
        let server = server.permit(|caller, item| {
            caller.principal().is_some_and(|who| !who.has_scope(item.name()))
        });
        let shared = server.check(false).unwrap();
        let view_of = |id: &str, hidden: usize| {
            let who = Principal::new(id).with_scopes([format!("tool-{hidden}")]);
            shared.lists_for(&shared.caller_for(Some(&who)))
        };
        let first = view_of("ada", 0);
        for hidden in 1..100 {
            view_of("eve", hidden);
        }
        assert!(Arc::ptr_eq(&first, &view_of("ada", 0)));
        assert_eq!(lock(&shared.all_lists().views.0).len(), super::MAX_VIEWS);
    }

    /// Lists are built once per distinct view, regardless of the number of callers.
    #[test]
    fn pages_are_written_once_for_each_view() {
        let (shared, registry) = serving();
        let (views, pages) = (2, 2 * KINDS.len() * 2);
        assert_eq!(count_lists_and_pages(&shared), (views, pages));
        registry.insert(tool("more", "")).unwrap();
        assert_eq!(
            count_lists_and_pages(&shared),
            (views, pages),
            "built again for the next version"
        );
    }
}
