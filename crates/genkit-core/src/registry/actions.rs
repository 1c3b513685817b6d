//! The actions of a registry: a map of names for each kind.

use std::sync::Arc;

use super::action::Action;
use super::changes::RegistryChange;
use super::error::Error;
use super::named::NamedActions;
use crate::action::{CustomAction, Flow, Prompt, Resource, Tool};
use crate::skill::Skill;

#[derive(Default)]
pub(super) struct Actions {
    pub(super) tools: NamedActions<Tool>,
    pub(super) prompts: NamedActions<Prompt>,
    /// By URI or template.
    pub(super) resources: NamedActions<Resource>,
    pub(super) flows: NamedActions<Flow>,
    /// By name, which models use to load them.
    pub(super) skills: NamedActions<Skill>,
    /// By kind and name, such as `retriever/notes`.
    pub(super) custom: NamedActions<Arc<dyn CustomAction>>,
    /// Errors from `add` and `mount`, such as duplicate names and invalid prefixes, which `check` reports.
    pub(super) errors: Vec<Error>,
}

impl Actions {
    /// Adds `action` unless its name is taken. Returns the change that clients are notified of.
    pub(super) fn insert_action(
        &mut self,
        action: Action,
    ) -> Result<Option<RegistryChange>, Error> {
        let (existing, change) = match &action {
            Action::Tool(tool) => {
                (insert_named(&mut self.tools, tool.name(), tool), Some(RegistryChange::Tools))
            }
            Action::Prompt(prompt) => (
                insert_named(&mut self.prompts, prompt.name(), prompt),
                Some(RegistryChange::Prompts),
            ),
            Action::Resource(resource) => {
                let existing = insert_named(&mut self.resources, resource.uri(), resource);
                (existing, Some(RegistryChange::Resources))
            }
            Action::Flow(flow) => (insert_named(&mut self.flows, flow.name(), flow), None),
            Action::Skill(skill) => {
                // The `SKILL.md` file of the skill appears in the list of resources.
                let existing = insert_named(&mut self.skills, skill.name(), skill);
                (existing, Some(RegistryChange::Resources))
            }
            Action::Custom(custom) => {
                let key = custom_key(custom.kind(), custom.flow().name());
                let existing = self.custom.insert_action(&key, Arc::clone(custom));
                (existing.cloned().map(Action::Custom), None)
            }
        };
        match existing {
            Some(existing) => {
                let (label, existing) = (action.action_label(), existing.action_label());
                Err(match action {
                    Action::Resource(resource) => {
                        Error::SameUri { label, existing, uri: resource.uri().to_owned() }
                    }
                    _ => Error::SameName { label, existing },
                })
            }
            None => Ok(change),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.prompts.is_empty()
            && self.resources.is_empty()
            && self.flows.is_empty()
            && self.custom.is_empty()
            && self.skills.is_empty()
    }
}

/// Returns the key of an action that another crate defines, such as `retriever/notes`.
pub(super) fn custom_key(kind: &str, name: &str) -> String {
    format!("{kind}/{name}")
}

/// Adds `action` unless `name` is taken. Returns the action that already has the name.
fn insert_named<A: Clone + Into<Action>>(
    named: &mut NamedActions<A>,
    name: &str,
    action: &A,
) -> Option<Action> {
    named.insert_action(name, action.clone()).map(|existing| existing.clone().into())
}
