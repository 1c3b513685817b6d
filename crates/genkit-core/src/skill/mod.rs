//! Skills: folders with instructions for a model (`SKILL.md`) and files beside them, as values.
//!
//! A [`Skill`] is in the program (`skills!`), or comes from a folder on disk
//! ([`Skill::read_dir`], `GenkitBuilder::skills_dir`). A server lists those of its
//! registry over MCP (the extension `io.modelcontextprotocol/skills`, SEP-2640), and the middleware
//! `skills` offers them to a model.

#[cfg(feature = "skills")]
mod embedded;
mod file;
#[cfg(feature = "skills")]
mod folder;
mod served;
#[cfg(feature = "skills")]
mod source;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::action::Info;

#[cfg(feature = "skills")]
pub use embedded::{StaticSkills, embedded};
pub use file::SkillFile;
#[cfg(feature = "skills")]
pub use source::{OfferedSkill, SkillSource};
#[cfg(feature = "skills")]
pub use source::{SkillReader, fingerprint, not_listed};

/// What expansions call; hidden behind `__private`.
#[cfg(feature = "skills")]
pub mod expansion {
    pub use super::Skill;
    pub use super::embedded::{StaticSkill, StaticSkills};
}

/// The scheme of skills' addresses.
pub const SCHEME: &str = "skill:";

/// The file that makes a folder a skill.
pub const SKILL_MD: &str = "SKILL.md";

/// Skill: instructions that a model reads when it needs them, and the files that they speak of.
/// Cheap to clone.
///
/// ```
/// # #[cfg(feature = "skills")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = std::env::temp_dir().join(format!("skills-of-doc-{}", std::process::id()));
/// std::fs::create_dir_all(folder.join("git-flow"))?;
/// std::fs::write(
///     folder.join("git-flow/SKILL.md"),
///     "---\nname: git-flow\ndescription: How we branch\n---\nBranch first.\n",
/// )?;
/// let skills = genkit::Skill::read_dir(&folder)?;
/// assert_eq!((skills[0].name(), skills[0].uri()), ("git-flow", "skill://git-flow/SKILL.md"));
/// assert_eq!(skills[0].frontmatter()["description"], "How we branch");
/// assert_eq!(skills[0].files()[0].size(), 64);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "skills"))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Skill(Arc<SkillData>);

struct SkillData {
    info: Info,
    /// The address of its folder, with a slash at the end.
    root: String,
    uri: String,
    frontmatter: Map<String, Value>,
    files: Vec<SkillFile>,
}

impl Skill {
    /// Of a frontmatter that was checked; the files are in the order of their paths.
    #[cfg(feature = "skills")]
    pub(crate) fn new(
        source: String,
        root: String,
        frontmatter: Map<String, Value>,
        files: Vec<SkillFile>,
    ) -> Self {
        let text = |key: &str| frontmatter.get(key).and_then(Value::as_str).unwrap_or_default();
        let metadata = frontmatter.get("metadata").and_then(Value::as_object);
        let info = Info {
            file: Some(source.into()),
            metadata: metadata.cloned().unwrap_or_default(),
            ..Info::remote(text("name").to_owned(), text("description").to_owned())
        };
        let uri = format!("{root}{SKILL_MD}");
        Self(Arc::new(SkillData { info, root, uri, frontmatter, files }))
    }

    /// Name by which models ask for it.
    pub fn name(&self) -> &str {
        &self.0.info.name
    }

    /// Description: what it does, and when to use it.
    pub fn description(&self) -> &str {
        &self.0.info.description
    }

    /// URI of its `SKILL.md`: `skill://git-flow/SKILL.md`.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// The frontmatter of its `SKILL.md`, as it was written.
    pub fn frontmatter(&self) -> &Map<String, Value> {
        &self.0.frontmatter
    }

    /// Files, all of them, in the order of their paths: `SKILL.md`, and those of nested skills,
    /// too.
    pub fn files(&self) -> &[SkillFile] {
        &self.0.files
    }

    /// The file at a path within the skill: `references/FORMS.md`.
    pub fn file(&self, path: &str) -> Option<&SkillFile> {
        let at = self.0.files.binary_search_by(|file| file.path().cmp(path)).ok()?;
        self.0.files.get(at)
    }

    /// The address of its folder, with a slash at the end.
    pub(crate) fn root(&self) -> &str {
        &self.0.root
    }

    /// `metadata` of its frontmatter.
    pub fn metadata(&self) -> &Map<String, Value> {
        &self.0.info.metadata
    }

    pub fn info(&self) -> &Info {
        &self.0.info
    }

    /// The same at another address.
    pub(crate) fn mounted(&self, moved: impl Fn(&str) -> String) -> Self {
        let data = &self.0;
        Self(Arc::new(SkillData {
            info: data.info.clone(),
            root: moved(&data.root),
            uri: moved(&data.uri),
            frontmatter: data.frontmatter.clone(),
            files: data.files.iter().map(|file| file.moved(moved(file.uri()))).collect(),
        }))
    }
}

impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Skill");
        shown.field("uri", &self.0.uri).field("files", &self.0.files.len()).finish_non_exhaustive()
    }
}
