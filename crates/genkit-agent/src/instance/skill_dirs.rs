//! Folders of skills, which are read when an instance is built.

use std::path::PathBuf;

use super::InstanceBuilder;
use genkit_core::Registry;
use genkit_core::Result;
use genkit_core::Skill;

impl InstanceBuilder {
    pub fn skills_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.skill_dirs.push(path.into());
        self
    }

    pub(super) fn with_skill_dirs(mut self) -> Result<Self> {
        for path in std::mem::take(&mut self.skill_dirs) {
            let skills = Skill::read_dir(path)?;
            self.bound.registry =
                Some(self.bound.registry.unwrap_or_else(Registry::linked).add(skills));
        }
        Ok(self)
    }
}
