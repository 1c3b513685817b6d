//! The filter that selects which actions a server offers.

use genkit_core::internal::glob;
use genkit_core::{Prompt, Resource, Skill, Tool};

/// A filter by tag and by name. The default filter selects all actions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Selects actions with any of these tags, unless empty.
    pub(crate) tags: Vec<String>,
    /// Selects actions with any of these names, unless empty; `*` matches any text.
    pub(crate) only: Vec<String>,
    /// Excludes actions with these names.
    pub(crate) except: Vec<String>,
}

impl Filter {
    pub(crate) fn has_tool(&self, tool: &Tool) -> bool {
        // A declared tool has no code to run.
        !tool.is_declared() && self.matches_name(tool.name(), tool.tags())
    }

    pub(crate) fn has_prompt(&self, prompt: &Prompt) -> bool {
        self.matches_name(prompt.name(), prompt.tags())
    }

    pub(crate) fn has_resource(&self, resource: &Resource) -> bool {
        self.matches_name(resource.name(), resource.tags())
    }

    pub(crate) fn has_skill(&self, skill: &Skill) -> bool {
        self.matches_name(skill.name(), std::iter::empty())
    }

    fn matches_name<'a>(&self, name: &str, mut tags: impl Iterator<Item = &'a str>) -> bool {
        (self.tags.is_empty() || tags.any(|tag| self.tags.iter().any(|wanted| wanted == tag)))
            && glob::is_chosen(&self.only, &self.except, name)
    }
}
