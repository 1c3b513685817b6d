//! The actions of a registry: a map by name for each kind.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::action::Action;
use super::changes::RegistryChange;
use super::error::Error;
#[cfg(feature = "evaluators")]
use crate::action::Evaluator;
use crate::action::{Flow, Prompt, Resource, Tool};
use crate::skill::Skill;

#[derive(Default)]
pub(super) struct Actions {
    pub(super) tools: BTreeMap<String, Tool>,
    pub(super) prompts: BTreeMap<String, Prompt>,
    /// By URI or template.
    pub(super) resources: BTreeMap<String, Resource>,
    pub(super) flows: BTreeMap<String, Flow>,
    /// By name: models ask for them by it.
    pub(super) skills: BTreeMap<String, Skill>,
    #[cfg(feature = "evaluators")]
    pub(super) evaluators: BTreeMap<String, Evaluator>,
    /// What `add` refused, for the check to report: two of one name.
    pub(super) refused: Vec<Error>,
}

impl Actions {
    /// Adds `action` unless its name is taken; returns the change that clients are notified of.
    pub(super) fn insert(&mut self, action: Action) -> Result<Option<RegistryChange>, Error> {
        let (existing, change) = match &action {
            Action::Tool(tool) => {
                (insert(&mut self.tools, tool.name(), tool), Some(RegistryChange::Tools))
            }
            Action::Prompt(prompt) => {
                (insert(&mut self.prompts, prompt.name(), prompt), Some(RegistryChange::Prompts))
            }
            Action::Resource(resource) => {
                let existing = insert(&mut self.resources, resource.uri(), resource);
                (existing, Some(RegistryChange::Resources))
            }
            Action::Flow(flow) => (insert(&mut self.flows, flow.name(), flow), None),
            Action::Skill(skill) => {
                // Its `SKILL.md` is in the list of resources.
                let existing = insert(&mut self.skills, skill.name(), skill);
                (existing, Some(RegistryChange::Resources))
            }
            #[cfg(feature = "evaluators")]
            Action::Evaluator(evaluator) => {
                (insert(&mut self.evaluators, evaluator.name(), evaluator), None)
            }
        };
        match existing {
            Some(existing) => {
                Err(Error::SameName { label: action.label(), existing: existing.label() })
            }
            None => Ok(change),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        #[cfg(feature = "evaluators")]
        if !self.evaluators.is_empty() {
            return false;
        }
        self.tools.is_empty()
            && self.prompts.is_empty()
            && self.resources.is_empty()
            && self.flows.is_empty()
            && self.skills.is_empty()
    }
}

/// Adds `action` unless `name` is taken; then returns what has it.
fn insert<A: Clone + Into<Action>>(
    map: &mut BTreeMap<String, A>,
    name: &str,
    action: &A,
) -> Option<Action> {
    match map.entry(name.to_owned()) {
        Entry::Occupied(existing) => Some(existing.get().clone().into()),
        Entry::Vacant(place) => {
            place.insert(action.clone());
            None
        }
    }
}
