//! Skills: folders with instructions for a model (`SKILL.md`) and other files.
//!
//! A [`Skill`] is embedded in the program (`skills!`), or read from a folder on disk
//! ([`Skill::read_dir`], `GenkitBuilder::skills_dir`). A server lists the skills of
//! its registry over MCP (the extension `io.modelcontextprotocol/skills`, SEP-2640). The middleware
//! `skills` offers skills to a model.
mod embedded;
mod file;
mod folder;
mod served;
mod source;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::action::Info;
pub use embedded::{StaticSkills, embedded_skills};
pub use file::SkillFile;
use genkit_schema::internal::truncate::excerpt;
pub use source::{OfferedSkill, SkillSource};
pub use source::{SkillReader, compute_fingerprint, missing_file_error};

/// Items used by macro expansions; hidden behind `__private`.
pub mod expansion {
    pub use super::Skill;
    pub use super::embedded::{StaticSkill, StaticSkills};
}

/// The URI scheme of skills.
pub const SCHEME: &str = "skill:";

/// The maximum length of the description that a model receives, in characters (Agent Skills).
const MAX_DESCRIPTION: usize = 1024;

/// The file that makes a folder a skill.
pub const SKILL_MD: &str = "SKILL.md";

/// A skill: instructions that a model reads when it needs them, and the files that they refer to. Cheap to clone.
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
    /// The URI of the skill's folder, with a trailing slash.
    root: String,
    uri: String,
    frontmatter: Map<String, Value>,
    files: Vec<SkillFile>,
}

impl Skill {
    /// Creates a skill from a validated frontmatter and its files, which must be sorted by path.
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
            ..Info::from_server(
                text("name").to_owned(),
                excerpt(text("description"), MAX_DESCRIPTION - 1),
            )
        };
        let uri = format!("{root}{SKILL_MD}");
        Self(Arc::new(SkillData { info, root, uri, frontmatter, files }))
    }

    /// Returns the name, which models use to load the skill.
    pub fn name(&self) -> &str {
        &self.0.info.name
    }

    /// Returns the description: the purpose of the skill, and when to use it.
    pub fn description(&self) -> &str {
        &self.0.info.description
    }

    /// Returns the URI of the `SKILL.md`, for example `skill://git-flow/SKILL.md`.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// Returns the frontmatter of the `SKILL.md`, unchanged.
    pub fn frontmatter(&self) -> &Map<String, Value> {
        &self.0.frontmatter
    }

    /// Returns all files, sorted by path: `SKILL.md` and the others, including those of nested skills.
    pub fn files(&self) -> &[SkillFile] {
        &self.0.files
    }

    /// Returns the file at a path within the skill, for example `references/FORMS.md`.
    pub fn file(&self, path: &str) -> Option<&SkillFile> {
        let at = self.0.files.binary_search_by(|file| file.path().cmp(path)).ok()?;
        self.0.files.get(at)
    }

    /// Returns the URI of the skill's folder, with a trailing slash.
    pub(crate) fn root_uri(&self) -> &str {
        &self.0.root
    }

    /// Returns the `metadata` of the frontmatter.
    #[doc(hidden)]
    pub fn metadata(&self) -> &Map<String, Value> {
        &self.0.info.metadata
    }

    #[doc(hidden)]
    pub fn info(&self) -> &Info {
        &self.0.info
    }

    /// Returns this skill with the URIs that `moved` computes.
    pub(crate) fn mount_as(&self, moved: impl Fn(&str) -> String) -> Self {
        let data = &self.0;
        Self(Arc::new(SkillData {
            info: data.info.clone(),
            root: moved(&data.root),
            uri: moved(&data.uri),
            frontmatter: data.frontmatter.clone(),
            files: data.files.iter().map(|file| file.with_uri(moved(file.uri()))).collect(),
        }))
    }
}

impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Skill");
        shown.field("uri", &self.0.uri).field("files", &self.0.files.len()).finish_non_exhaustive()
    }
}
