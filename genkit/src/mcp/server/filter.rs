//! Which actions a server shows.

use crate::action::{Prompt, Resource, Tool};
use crate::glob;

/// By tag and by name; everything passes an empty one.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    /// One of these tags, if there are any here.
    pub(super) tags: Vec<String>,
    /// One of these names, if there are any here; `*` stands for any text.
    pub(super) only: Vec<String>,
    /// None of these names.
    pub(super) except: Vec<String>,
}

impl Filter {
    pub(super) fn tool(&self, tool: &Tool) -> bool {
        self.passes(tool.name(), tool.tags())
    }

    pub(super) fn prompt(&self, prompt: &Prompt) -> bool {
        self.passes(prompt.name(), prompt.tags())
    }

    pub(super) fn resource(&self, resource: &Resource) -> bool {
        self.passes(resource.name(), resource.tags())
    }

    fn passes<'a>(&self, name: &str, mut tags: impl Iterator<Item = &'a str>) -> bool {
        (self.tags.is_empty() || tags.any(|tag| self.tags.iter().any(|wanted| wanted == tag)))
            && glob::chosen(&self.only, &self.except, name)
    }
}
