//! What a subscriber sees of what changes.

use std::sync::Arc;

use genkit_core::internal::registry::RegistryChange;

/// What is there for a subscriber. Default is that all is.
#[derive(Clone, Default)]
pub(crate) struct Sees(Option<Arc<dyn View>>);

/// What is there for one caller.
pub(crate) trait View: Send + Sync {
    /// Whether the resource at a URI is.
    fn has_uri(&self, uri: &str) -> bool;

    /// Whether some of what is there may be hidden from it.
    fn is_restricted(&self) -> bool;

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

    fn is_restricted(&self) -> bool {
        self.0.as_ref().is_some_and(|view| view.is_restricted())
    }

    fn digest(&self, list: &RegistryChange) -> Option<u64> {
        self.0.as_ref()?.digest(list)
    }
}

/// The lists that a subscriber knows of: a change that is hidden from it is none. To whom all is shown, all is told.
#[derive(Default)]
pub(super) struct SeenLists {
    digests: [Option<u64>; 3],
    is_restricted: bool,
}

impl SeenLists {
    /// Those that it sees now.
    pub(super) fn now(sees: &Sees) -> Self {
        use RegistryChange::{Prompts, Resources, Tools};
        let digests = [Tools, Prompts, Resources].map(|list| sees.digest(&list));
        Self { digests, is_restricted: sees.is_restricted() }
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
        let before = std::mem::replace(&mut self.digests[place], now);
        let was_restricted = std::mem::replace(&mut self.is_restricted, sees.is_restricted());
        now.is_none() || now != before || !(was_restricted || self.is_restricted)
    }
}
