//! Folders of skills, read when an instance is built.

use std::path::PathBuf;

use super::GenkitBuilder;
use crate::error::Result;
use crate::registry::Registry;
use crate::skill::Skill;

impl GenkitBuilder {
    /// Skill folder: one of skills, read when the instance is built: each is in the registry, of which it is a copy
    /// unless one is given. Called again, this is one more. See [`Skill::read_dir`].
    ///
    /// ```
    /// use genkit::{Genkit, Registry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = std::env::temp_dir().join(format!("skills-dir-of-doc-{}", std::process::id()));
    /// std::fs::create_dir_all(folder.join("refunds"))?;
    /// std::fs::write(
    ///     folder.join("refunds/SKILL.md"),
    ///     "---\nname: refunds\ndescription: Pays money back.\n---\nAsk for the order first.\n",
    /// )?;
    /// let genkit = Genkit::builder().registry(Registry::new()).skills_dir(&folder).build()?;
    /// assert_eq!(genkit.registry().skill("refunds").unwrap().instructions(), "Ask for the order first.\n");
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// What is wrong with the files is an error of [`build`](Self::build): all mistakes with file and line.
    pub fn skills_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.skill_dirs.push(path.into());
        self
    }

    /// The same with the skills of its folders in its registry.
    pub(super) fn with_skill_dirs(mut self) -> Result<Self> {
        for path in std::mem::take(&mut self.skill_dirs) {
            let skills = Skill::read_dir(path)?;
            self.registry = Some(self.registry.unwrap_or_else(Registry::linked).add(skills));
        }
        Ok(self)
    }
}
