//! Views: what of the lists is there for one caller. Callers who may see the same share one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::{Items, Lists};
use crate::mcp::server::permission::Item;
use crate::sync::lock;

/// How many views are kept for one version of the registry. Default is 64; more are made again.
const MAX_VIEWS: usize = 64;

/// The views that were asked for, each by the items that are in it, as bits.
#[derive(Default)]
pub(super) struct Views(Mutex<HashMap<Box<[u64]>, Arc<Lists>>>);

impl Lists {
    /// What of these lists `permits`: themselves, where that is everything.
    pub(crate) fn view(self: &Arc<Self>, permits: impl Fn(Item<'_>) -> bool) -> Arc<Self> {
        let seen: Vec<bool> = self.items.iter().map(permits).collect();
        if seen.iter().all(|seen| *seen) {
            return Arc::clone(self);
        }
        let key: Box<[u64]> = seen.chunks(64).map(word).collect();
        if let Some(view) = lock(&self.views.0).get(&key) {
            return Arc::clone(view);
        }
        // Without the lock: who comes too late takes what is there by then.
        let items = self.items.only(&seen);
        let view =
            Arc::new(Self::of(self.version, items, Arc::clone(&self.names), self.is_private));
        let mut views = lock(&self.views.0);
        if views.len() >= MAX_VIEWS {
            views.clear();
        }
        Arc::clone(views.entry(key).or_insert(view))
    }

    /// Whether a function asks for scopes.
    pub(crate) fn has_permits(&self) -> bool {
        self.has_permits
    }

    /// Whether calls of a tool may become tasks.
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

    /// Those that are seen, in the order of `iter`.
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
