//! Digests of lists, which detect whether a subscriber's list has changed.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::OnceLock;

use serde::Serialize;

use super::Lists;
use crate::session::Era;
use genkit_core::internal::registry::RegistryChange;

/// A digest for each kind of list, computed on first use.
#[derive(Default)]
pub(super) struct Digests([OnceLock<u64>; 3]);

impl Lists {
    /// Returns a digest of the list's items and their order.
    pub(crate) fn digest(&self, list: &RegistryChange) -> u64 {
        let [tools, prompts, resources] = &self.digests.0;
        match list {
            RegistryChange::Tools => *tools.get_or_init(|| digest(&self.tools(Era::Modern))),
            RegistryChange::Prompts => *prompts.get_or_init(|| digest(&self.prompts)),
            RegistryChange::Resources | RegistryChange::ResourceUpdated(_) => {
                *resources.get_or_init(|| digest(&(&self.resources, &self.templates)))
            }
        }
    }
}

fn digest(items: &impl Serialize) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(&serde_json::to_vec(items).unwrap_or_default());
    hasher.finish()
}
