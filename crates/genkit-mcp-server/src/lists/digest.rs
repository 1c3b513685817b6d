//! Digests of lists, by which a subscriber's list is told from the one that it had.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::OnceLock;

use serde::Serialize;

use super::Lists;
use crate::session::Era;
use genkit_core::internal::registry::RegistryChange;

/// One for each kind, made when it is asked for.
#[derive(Default)]
pub(super) struct Digests([OnceLock<u64>; 3]);

impl Lists {
    /// What tells this list from others: what stands in it, in its order.
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
