//! Skills that are read from a folder on disk.

use std::path::Path;

use genkit_skills::{FoundSkill, SkillText, skill_uri};

use super::{SKILL_MD, Skill, SkillFile};
use crate::error::{Error as PublicError, ErrorKind, Result, Topic};

#[derive(Debug, thiserror::Error)]
#[error("the skills in `{folder}` have errors:{}", list_mistakes(.mistakes))]
pub(crate) struct Error {
    folder: String,
    mistakes: Vec<String>,
}

fn list_mistakes(mistakes: &[String]) -> String {
    mistakes.iter().map(|mistake| format!("\n  - {mistake}")).collect()
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::FailedPrecondition
    }
}

impl Skill {
    /// Reads the skills of a folder: each folder with a `SKILL.md`, at any depth. The folder itself may also be a
    /// skill.
    ///
    /// | file | result |
    /// |---|---|
    /// | `refunds/SKILL.md` | the skill `refunds` at `skill://refunds/SKILL.md` |
    /// | `acme/billing/refunds/SKILL.md` | the skill `refunds` at `skill://acme/billing/refunds/SKILL.md` |
    /// | `refunds/references/law.md` | a file of the skill `refunds` |
    ///
    /// The name in the frontmatter must be the name of the folder. Files and folders whose names start with a dot are
    /// skipped.
    ///
    /// A skill that cannot be used is omitted, and the reason is logged with file and line: an invalid name or
    /// frontmatter, a symbolic link that leads out of the skill, or more than 512 files or 16 MiB. A description that
    /// is too long, a value with an unquoted colon, and a link to a missing file are also logged. `skills!` reports all
    /// of these as errors.
    ///
    /// # Errors
    /// Returns all errors if no skill in the folder can be used.
    pub fn read_dir(path: impl AsRef<Path>) -> Result<Vec<Self>> {
        let path = path.as_ref();
        let (found, warnings) = genkit_skills::read_valid_skills(path).map_err(|mistakes| {
            let mistakes = mistakes.iter().map(ToString::to_string).collect();
            PublicError::from(Error { folder: path.display().to_string(), mistakes })
        })?;
        for warning in warnings {
            tracing::warn!("{warning}");
        }
        Ok(found.into_iter().map(from_folder).collect())
    }

    /// Returns the instructions: the text of the `SKILL.md` after the frontmatter.
    pub fn instructions(&self) -> &str {
        let text = self.file(SKILL_MD).and_then(SkillFile::text).unwrap_or_default();
        SkillText::parse_leniently(self.uri(), text).map_or("", |read| read.instructions)
    }
}

fn from_folder(found: FoundSkill) -> Skill {
    for mistake in &found.dangling {
        tracing::warn!("{mistake}");
    }
    let root = format!("{}/", skill_uri(&found.path));
    let mut files: Vec<SkillFile> = found
        .files
        .into_iter()
        .map(|file| {
            let uri = skill_uri(&format!("{}/{}", found.path, file.path));
            SkillFile::read(&file.path, uri, &file.digest, file.bytes)
        })
        .collect();
    files.sort_by(|a, b| a.path().cmp(b.path()));
    let source = found.folder.join(SKILL_MD).display().to_string();
    Skill::new(source, root, found.frontmatter, files)
}
