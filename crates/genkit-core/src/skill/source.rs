//! Skill sources, from which the middleware `skills` offers skills to a model.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use genkit_skills::sha256_digest;

use super::{SKILL_MD, Skill};
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;

/// A source of skills: a folder (`&str`, `String`, `PathBuf`), a [`Skill`], a [`Registry`](crate::registry::Registry), an MCP
/// server or a host of MCP servers.
///
/// Listing does not load the content of the skills.
pub trait SkillSource: Send + Sync + 'static {
    /// Lists the skills that are currently available.
    fn list(&self) -> BoxFuture<'_, Result<Vec<OfferedSkill>>>;
}

/// A reader of the content of a skill, used when the skill is activated.
pub trait SkillReader: Send + Sync {
    /// Loads the instructions of the skill: the text of its `SKILL.md` after the frontmatter.
    fn load_instructions(&self) -> BoxFuture<'_, Result<String>>;

    /// Reads a file of the skill.
    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Vec<u8>>>;
}

/// A skill as listed by a source.
#[derive(Clone)]
pub struct OfferedSkill {
    #[doc(hidden)]
    pub name: String,
    #[doc(hidden)]
    pub description: String,
    #[doc(hidden)]
    pub server: Option<String>,
    #[doc(hidden)]
    pub fingerprint: String,
    #[doc(hidden)]
    pub paths: Vec<String>,
    #[doc(hidden)]
    pub reader: Arc<dyn SkillReader>,
}

impl OfferedSkill {
    /// Returns the name. The name of an MCP server's skill starts with the server's key, `shop/refunds`, so that it
    /// cannot be confused with a skill of this program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description: the purpose of the skill, and when to use it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the key of the MCP server that provides the skill, or `None` for a skill of this program.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Returns the fingerprint: a digest of the URIs and digests of all files. The fingerprint changes if any file
    /// changes.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the paths of the files within the skill.
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

/// Computes the fingerprint of files from their URIs and digests.
pub fn compute_fingerprint<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut lines: Vec<String> = files.map(|(uri, digest)| format!("{uri} {digest}\n")).collect();
    lines.sort();
    sha256_digest(lines.concat().as_bytes())
}

impl From<&Skill> for OfferedSkill {
    fn from(skill: &Skill) -> Self {
        let files = skill.files().iter();
        Self {
            name: skill.name().to_owned(),
            description: skill.description().to_owned(),
            server: None,
            fingerprint: compute_fingerprint(files.map(|file| (file.uri(), file.digest()))),
            paths: skill.files().iter().map(|file| file.path().to_owned()).collect(),
            reader: Arc::new(skill.clone()),
        }
    }
}

impl SkillReader for Skill {
    fn load_instructions(&self) -> BoxFuture<'_, Result<String>> {
        Box::pin(async move { Ok(self.instructions().to_owned()) })
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Vec<u8>>> {
        Box::pin(async move {
            let file = self.file(path).ok_or_else(|| not_listed(self.name(), path))?;
            Ok(file.bytes().to_vec())
        })
    }
}

/// Creates the error for a path that the skill does not contain.
pub fn not_listed(skill: &str, path: &str) -> Error {
    let path = path.escape_debug();
    let text = format!(
        "the skill `{skill}` has no file `{path}`; read `{SKILL_MD}` or the list of files for valid paths"
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
