//! The actions of a registry: a map by name for each kind.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::action::Action;
use super::changes::RegistryChange;
use super::error::Error;
use crate::action::{Flow, Prompt, Resource, Tool};

#[derive(Default)]
pub(super) struct Actions {
    pub(super) tools: BTreeMap<String, Tool>,
    pub(super) prompts: BTreeMap<String, Prompt>,
    /// By URI or template.
    pub(super) resources: BTreeMap<String, Resource>,
    pub(super) flows: BTreeMap<String, Flow>,
    /// What was refused while nobody could be told: two of one name.
    pub(super) refused: Vec<Error>,
}

impl Actions {
    /// Adds `action` unless its name is taken; returns the change that clients are told of.
    pub(super) fn insert(&mut self, action: Action) -> Result<Option<RegistryChange>, Error> {
        let label = action.label();
        let (existing, change) = match action {
            Action::Tool(tool) => {
                let name = tool.name().to_owned();
                (insert(&mut self.tools, name, tool), Some(RegistryChange::Tools))
            }
            Action::Prompt(prompt) => {
                let name = prompt.name().to_owned();
                (insert(&mut self.prompts, name, prompt), Some(RegistryChange::Prompts))
            }
            Action::Resource(resource) => {
                let uri = resource.uri().to_owned();
                (insert(&mut self.resources, uri, resource), Some(RegistryChange::Resources))
            }
            Action::Flow(flow) => {
                let name = flow.name().to_owned();
                (insert(&mut self.flows, name, flow), None)
            }
        };
        match existing {
            Some(existing) => Err(Error::SameName { label, existing: existing.label() }),
            None => Ok(change),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.prompts.is_empty()
            && self.resources.is_empty()
            && self.flows.is_empty()
    }
}

/// Adds `action` unless `name` is taken; then returns what has it.
fn insert<A: Clone + Into<Action>>(
    map: &mut BTreeMap<String, A>,
    name: String,
    action: A,
) -> Option<Action> {
    match map.entry(name) {
        Entry::Occupied(existing) => Some(existing.get().clone().into()),
        Entry::Vacant(vacant) => {
            vacant.insert(action);
            None
        }
    }
}
