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

/// The prompts and partials of a folder, read but not yet compiled.
///
/// | file | contents |
/// |---|---|
/// | `trip.prompt` | the prompt `trip` |
/// | `trip.formal.prompt` | its variant `formal`: the part after the first dot |
/// | `mail/reply.prompt` | the prompt `mail/reply` |
/// | `_header.prompt` | the partial `header` |
/// | `mail/_footer.prompt` | the partial `mail/footer`, and also `footer` if that name is unique |
///
/// Files and folders whose names start with a dot are ignored, as are files with other extensions. At most 10,000
/// entries and 64 MiB are read, and folders may be nested 16 deep.
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
    /// The name, including the folders below the root, such as `mail/reply`.
    pub name: String,
    /// The variant, such as `formal`.
    pub variant: Option<String>,
    /// The path of the file.
    pub path: PathBuf,
    /// The contents of the file.
    pub source: Arc<str>,
}

impl PromptSource {
    /// Returns the name with the variant, such as `mail/reply.formal`.
    pub fn full_name(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}.{variant}", self.name),
            None => self.name.clone(),
        }
    }

    /// Compiles the prompt. Errors refer to the prompt by its path.
    ///
    /// # Errors
    /// Returns the errors of [`PromptFile::parse`].
    pub fn parse(&self) -> Result<PromptFile, Error> {
        PromptFile::from_source(&self.path.to_string_lossy(), Arc::clone(&self.source))
    }
}

/// A partial of a folder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PartialSource {
    /// The name, including the folders below the root, such as `mail/footer`.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// The contents of the file.
    pub source: Arc<str>,
}

impl Folder {
    /// Reads a folder and its subfolders.
    ///
    /// # Errors
    /// Returns an error if the folder does not exist or exceeds a limit. The error contains the path of the folder and,
    /// for a relative path, the working directory. Also returns an error for each file that cannot be read or is not
    /// text, and for each symbolic link that leads out of the folder.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Vec<Error>> {
        let (folder, errors) = Self::read_valid(path)?;
        if errors.is_empty() { Ok(folder) } else { Err(errors) }
    }

    /// Reads a folder like [`read`](Self::read), but omits files that cannot be read. Also returns their errors.
    ///
    /// # Errors
    /// Returns an error if the folder itself cannot be read, or if it exceeds a limit.
    pub fn read_valid(path: impl AsRef<Path>) -> Result<(Self, Vec<Error>), Vec<Error>> {
        let path = path.as_ref();
        let (files, errors) = walk::list_files(path)?;
        Ok((Self::from_files(path.to_owned(), files), errors))
    }

    fn from_files(path: PathBuf, files: Vec<walk::File>) -> Self {
        let mut folder = Self { path, prompts: Vec::new(), partials: Vec::new() };
        for walk::File { name, path, source } in files {
            match name::parse_file_name(&name) {
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

    /// Returns the path that was passed in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the prompts, sorted by path.
    pub fn prompts(&self) -> &[PromptSource] {
        &self.prompts
    }

    /// Returns the partials, sorted by path.
    pub fn partials(&self) -> &[PartialSource] {
        &self.partials
    }

    /// Returns the partials by all of their names: with the folder, and without it if the name is unique.
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
    /// Registers the partials of a folder, by all of their names.
    ///
    /// # Errors
    /// Returns an error for each invalid partial.
    pub fn add_partials(self, folder: &Folder) -> Result<Self, Vec<Error>> {
        let (builder, errors) = self.add_valid_partials(folder);
        if errors.is_empty() { Ok(builder) } else { Err(errors) }
    }

    /// Registers the valid partials of a folder, by all of their names. Also returns the errors of the invalid
    /// partials.
    pub fn add_valid_partials(mut self, folder: &Folder) -> (Self, Vec<Error>) {
        let mut errors = Vec::new();
        let mut compiled = BTreeMap::new();
        for partial in &folder.partials {
            let file = partial.path.to_string_lossy();
            match crate::environment::compile_partial(&file, Arc::clone(&partial.source)) {
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
        (self, errors)
    }
}
