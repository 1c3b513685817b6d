//! Sources of skills: what a middleware offers to a model, wherever it lies.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use genkit_skills::digest;

use super::{SKILL_MD, Skill};
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::registry::Registry;

/// Skill source: a folder (`&str`, `String`, `PathBuf`), a [`Skill`], a [`Registry`](crate::registry::Registry), a server or a
/// host of MCP servers.
///
/// Listing fetches nothing of a skill.
pub trait SkillSource: Send + Sync + 'static {
    /// Lists the skills that it has now.
    fn list(&self) -> BoxFuture<'_, Result<Vec<OfferedSkill>>>;
}

/// What of a skill is read when it is used.
pub trait SkillReader: Send + Sync {
    /// Loads a skill: what stands below the frontmatter of its `SKILL.md`.
    fn load(&self) -> BoxFuture<'_, Result<String>>;

    /// Reads one of its files.
    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Vec<u8>>>;
}

/// Offered skill: one as a source lists it.
#[derive(Clone)]
pub struct OfferedSkill {
    pub name: String,
    pub description: String,
    pub server: Option<String>,
    pub fingerprint: String,
    pub paths: Vec<String>,
    pub reader: Arc<dyn SkillReader>,
}

impl OfferedSkill {
    /// Name; that of an MCP server's skill has the server's key before it, `shop/refunds`, so that it never stands
    /// for one of this program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Description: what it does, and when to use it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Server: the key of the MCP server that has it; `None` is this program.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Fingerprint: a digest of the addresses and digests of all of its files, another where one of
    /// them is another.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The paths of its files within the skill.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }
}

impl fmt::Debug for OfferedSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("OfferedSkill");
        shown.field("name", &self.name).field("server", &self.server).finish_non_exhaustive()
    }
}

/// The fingerprint of files by address and digest.
pub fn fingerprint<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut lines: Vec<String> = files.map(|(uri, digest)| format!("{uri} {digest}\n")).collect();
    lines.sort();
    digest(lines.concat().as_bytes())
}

impl From<&Skill> for OfferedSkill {
    fn from(skill: &Skill) -> Self {
        let files = skill.files().iter();
        Self {
            name: skill.name().to_owned(),
            description: skill.description().to_owned(),
            server: None,
            fingerprint: fingerprint(files.map(|file| (file.uri(), file.digest()))),
            paths: skill.files().iter().map(|file| file.path().to_owned()).collect(),
            reader: Arc::new(skill.clone()),
        }
    }
}

impl SkillReader for Skill {
    fn load(&self) -> BoxFuture<'_, Result<String>> {
        Box::pin(async move { Ok(self.instructions().to_owned()) })
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Vec<u8>>> {
        Box::pin(async move {
            let file = self.file(path).ok_or_else(|| not_listed(self.name(), path))?;
            Ok(file.bytes().to_vec())
        })
    }
}

/// The error of a path that a skill does not have.
pub fn not_listed(skill: &str, path: &str) -> Error {
    let path = path.escape_debug();
    let text = format!(
        "the skill `{skill}` has no file `{path}`: `{SKILL_MD}` and its list name those it has"
    );
    Error::new(ErrorKind::NotFound, text)
}

impl SkillSource for Skill {
    fn list(&self) -> BoxFuture<'_, Result<Vec<OfferedSkill>>> {
        Box::pin(async move { Ok(vec![OfferedSkill::from(self)]) })
    }
}

impl SkillSource for PathBuf {
    fn list(&self) -> BoxFuture<'_, Result<Vec<OfferedSkill>>> {
        Box::pin(async move {
            let path = self.clone();
            let read = tokio::task::spawn_blocking(move || Skill::read_dir(path)).await;
            let skills =
                read.map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))??;
            Ok(skills.iter().map(OfferedSkill::from).collect())
        })
    }
}

macro_rules! folders {
    ($($text:ty),*) => {$(
        impl SkillSource for $text {
            fn list(&self) -> BoxFuture<'_, Result<Vec<OfferedSkill>>> {
                Box::pin(async move { PathBuf::from(&**self).list().await })
            }
        }
    )*};
}

folders!(&'static str, String);

impl SkillSource for Registry {
    fn list(&self) -> BoxFuture<'_, Result<Vec<OfferedSkill>>> {
        let skills: Vec<Skill> = self.skills();
        Box::pin(async move { Ok(skills.iter().map(OfferedSkill::from).collect()) })
    }
}
