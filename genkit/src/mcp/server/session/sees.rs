//! What a subscriber sees of what changes.

use std::sync::Arc;

use crate::registry::RegistryChange;

/// What is there for a subscriber. Default is that all is.
#[derive(Clone, Default)]
pub(crate) struct Sees(Option<Arc<dyn View>>);

/// What is there for one caller.
pub(crate) trait View: Send + Sync {
    /// Whether the resource at a URI is.
    fn has_uri(&self, uri: &str) -> bool;

    /// What tells the list as it sees it from other ones; `None` where nobody knows.
    fn digest(&self, list: &RegistryChange) -> Option<u64>;
}

impl Sees {
    pub(crate) fn new(view: impl View + 'static) -> Self {
        Self(Some(Arc::new(view)))
    }

    pub(super) fn uri(&self, uri: &str) -> bool {
        self.0.as_ref().is_none_or(|view| view.has_uri(uri))
    }

    fn digest(&self, list: &RegistryChange) -> Option<u64> {
        self.0.as_ref()?.digest(list)
    }
}

/// The lists that a subscriber knows of: a change that it does not see is none.
#[derive(Default)]
pub(super) struct SeenLists([Option<u64>; 3]);

impl SeenLists {
    /// Those that it sees now.
    pub(super) fn now(sees: &Sees) -> Self {
        use RegistryChange::{Prompts, Resources, Tools};
        Self([Tools, Prompts, Resources].map(|list| sees.digest(&list)))
    }

    /// Whether it sees another list than before.
    pub(super) fn has_changed(&mut self, list: &RegistryChange, sees: &Sees) -> bool {
        let place = match list {
            RegistryChange::Tools => 0,
            RegistryChange::Prompts => 1,
            RegistryChange::Resources => 2,
            RegistryChange::ResourceUpdated(_) => return true,
        };
        let now = sees.digest(list);
        let before = std::mem::replace(&mut self.0[place], now);
        now.is_none() || now != before
    }
}
