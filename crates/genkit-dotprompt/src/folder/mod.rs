//! A folder of `.prompt` files.

mod embedded;
mod fingerprint;
mod library;
mod name;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use fingerprint::FolderFingerprint;
pub use library::Library;

use crate::environment::EnvironmentBuilder;
use crate::error::Error;
use crate::prompt::PromptFile;

/// A folder of prompts and partials, read but not yet compiled.
///
/// | file | is |
/// |---|---|
/// | `trip.prompt` | the prompt `trip` |
/// | `trip.formal.prompt` | its variant `formal`: what stands after the first dot |
/// | `mail/reply.prompt` | the prompt `mail/reply` |
/// | `_header.prompt` | the partial `header` |
/// | `mail/_footer.prompt` | the partial `mail/footer`, and `footer` where there is no other one of that name |
///
/// Names that begin with a dot are passed over, and so are files that end otherwise. At most 10,000 files and 64 MiB
/// are read, 16 folders deep.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    prompts: Vec<PromptSource>,
    partials: Vec<PartialSource>,
}

/// A prompt of a folder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptSource {
    /// The name with the folders below the first one, `mail/reply`.
    pub name: String,
    /// The variant, `formal`.
    pub variant: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub source: Arc<str>,
}

impl PromptSource {
    /// Name and variant, `mail/reply.formal`.
    pub fn full_name(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}.{variant}", self.name),
            None => self.name.clone(),
        }
    }

    /// The prompt, compiled; errors call it by its path.
    ///
    /// # Errors
    /// What [`PromptFile::parse`] refuses.
    pub fn parse(&self) -> Result<PromptFile, Error> {
        PromptFile::of_source(&self.path.to_string_lossy(), Arc::clone(&self.source))
    }
}

/// A partial of a folder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PartialSource {
    /// The name with the folders below the first one, `mail/footer`.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub source: Arc<str>,
}

impl Folder {
    /// Reads a folder and those below it.
    ///
    /// # Errors
    /// There is no such folder, with its path and where that was looked for; a file that cannot be read or is no
    /// text; a symbolic link that leaves the folder; too much. Several files give several errors.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Vec<Error>> {
        let path = path.as_ref();
        Ok(Self::of(path.to_owned(), walk::files(path)?))
    }

    fn of(path: PathBuf, files: Vec<walk::File>) -> Self {
        let mut folder = Self { path, prompts: Vec::new(), partials: Vec::new() };
        for walk::File { name, path, source } in files {
            match name::of(&name) {
                name::FileName::Prompt { name, variant } => {
                    folder.prompts.push(PromptSource { name, variant, path, source });
                }
                name::FileName::Partial(name) => {
                    folder.partials.push(PartialSource { name, path, source });
                }
            }
        }
        folder
    }

    /// The folder, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The prompts, by path.
    pub fn prompts(&self) -> &[PromptSource] {
        &self.prompts
    }

    /// The partials, by path.
    pub fn partials(&self) -> &[PartialSource] {
        &self.partials
    }

    /// Every name that a partial is found by, with the partial: with its folder, and bare where it is alone.
    pub fn partial_names(&self) -> BTreeMap<&str, &PartialSource> {
        let mut bare: BTreeMap<&str, Vec<&PartialSource>> = BTreeMap::new();
        for partial in &self.partials {
            let name = partial.name.rsplit('/').next().unwrap_or(&partial.name);
            bare.entry(name).or_default().push(partial);
        }
        let alone = bare.into_iter().filter(|(_, partials)| partials.len() == 1);
        let mut names: BTreeMap<_, _> =
            alone.filter_map(|(name, partials)| Some((name, *partials.first()?))).collect();
        names.extend(self.partials.iter().map(|partial| (partial.name.as_str(), partial)));
        names
    }
}

impl EnvironmentBuilder {
    /// The partials of a folder, by all of their names.
    ///
    /// # Errors
    /// Every partial with a mistake.
    pub fn partials_of(mut self, folder: &Folder) -> Result<Self, Vec<Error>> {
        let mut errors = Vec::new();
        let mut compiled = BTreeMap::new();
        for partial in &folder.partials {
            let file = partial.path.to_string_lossy();
            match crate::environment::compile(&file, Arc::clone(&partial.source)) {
                Ok(template) => {
                    compiled.insert(partial.path.clone(), template);
                }
                Err(error) => errors.push(error),
            }
        }
        for (name, partial) in folder.partial_names() {
            if let Some(template) = compiled.get(&partial.path) {
                self.insert_partial(name, template.clone());
            }
        }
        if errors.is_empty() { Ok(self) } else { Err(errors) }
    }
}
