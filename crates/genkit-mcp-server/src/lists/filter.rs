//! The filter that selects which actions a server offers.

use genkit_core::Skill;
use genkit_core::internal::glob;
use genkit_core::{Prompt, Resource, Tool};

/// A filter by tag and by name. The default filter selects everything.
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
    pub(crate) fn tool(&self, tool: &Tool) -> bool {
        self.passes(tool.name(), tool.tags())
    }

    pub(crate) fn prompt(&self, prompt: &Prompt) -> bool {
        self.passes(prompt.name(), prompt.tags())
    }

    pub(crate) fn resource(&self, resource: &Resource) -> bool {
        self.passes(resource.name(), resource.tags())
    }

    pub(crate) fn skill(&self, skill: &Skill) -> bool {
        self.passes(skill.name(), std::iter::empty())
    }

    fn passes<'a>(&self, name: &str, mut tags: impl Iterator<Item = &'a str>) -> bool {
        (self.tags.is_empty() || tags.any(|tag| self.tags.iter().any(|wanted| wanted == tag)))
            && glob::is_chosen(&self.only, &self.except, name)
    }
}
