//! The changes that a subscriber has access to.

use std::sync::Arc;

use genkit_core::internal::registry::RegistryChange;

/// The visibility of items for a subscriber. By default, all items are visible.
#[derive(Clone, Default)]
pub(crate) struct Visibility(Option<Arc<dyn View>>);

/// The items that one caller has access to.
pub(crate) trait View: Send + Sync {
    /// Returns whether the caller has access to the resource at a URI.
    fn has_uri(&self, uri: &str) -> bool;

    /// Returns whether any items can be hidden from the caller.
    fn is_restricted(&self) -> bool;

    /// Returns a digest of the caller's view of a list; `None` if it cannot be determined.
    fn digest(&self, list: &RegistryChange) -> Option<u64>;
}

impl Visibility {
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

/// The digests of a subscriber's lists at the last notification. An unrestricted subscriber is notified of all changes,
/// and a restricted subscriber only if its own lists change.
#[derive(Default)]
pub(super) struct SeenLists {
    digests: [Option<u64>; 3],
    is_restricted: bool,
}

impl SeenLists {
    /// Returns the digests of the current lists.
    pub(super) fn current_lists(sees: &Visibility) -> Self {
        use RegistryChange::{Prompts, Resources, Tools};
        let digests = [Tools, Prompts, Resources].map(|list| sees.digest(&list));
        Self { digests, is_restricted: sees.is_restricted() }
    }

    /// Returns whether the subscriber's list has changed since the last call.
    pub(super) fn has_changed(&mut self, list: &RegistryChange, sees: &Visibility) -> bool {
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
