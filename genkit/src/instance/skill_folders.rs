//! Folders of skills.

use super::GenkitBuilder;

impl GenkitBuilder {
    /// Adds a folder of skills, which is read when the instance is built. Its skills are added to the given registry,
    /// or to a copy of the program's registry. This method can be called several times. See `Skill::read_dir`.
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
    /// An invalid skill is skipped and logged with file and line. If no skill in the folder can be used,
    /// [`build`](Self::build) returns all errors.
    pub fn skills_dir(self, path: impl Into<std::path::PathBuf>) -> Self {
        Self(self.0.skills_dir(path))
    }
}
