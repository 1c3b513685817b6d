//! The compiled prompts of a folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Folder;
use crate::environment::{Environment, EnvironmentBuilder};
use crate::error::Error;
use crate::error_kind::{ErrorKind, Unknown};
use crate::prompt::PromptFile;

/// All prompts of a folder with the environment that they share. A library is immutable; if a file changes, build a new
/// library.
#[derive(Clone, Debug)]
pub struct Library {
    path: PathBuf,
    environment: Environment,
    prompts: BTreeMap<String, PromptFile>,
}

impl Library {
    /// Compiles a folder, adds its partials to the builder, and checks every prompt with [`Environment::check`].
    ///
    /// # Errors
    /// Returns all errors in all files.
    pub fn build(folder: &Folder, builder: EnvironmentBuilder) -> Result<Self, Vec<Error>> {
        let environment = builder.add_partials(folder)?.build();
        let mut prompts = BTreeMap::new();
        let mut errors = Vec::new();
        for source in folder.prompts() {
            match source.parse() {
                Ok(prompt) => {
                    errors.extend(environment.check(&prompt));
                    prompts.insert(source.full_name(), prompt);
                }
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Self { path: folder.path().to_owned(), environment, prompts })
    }

    /// Returns the environment that the prompts share.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the prompts by full name, such as `mail/reply.formal`.
    pub fn prompts(&self) -> impl Iterator<Item = (&str, &PromptFile)> {
        self.prompts.iter().map(|(name, prompt)| (name.as_str(), prompt))
    }

    /// Returns the prompt with the given full name.
    ///
    /// # Errors
    /// Returns an error if there is no such prompt. The error contains the folder, the known names, and the most
    /// similar name. If a variant does not exist, there is no fallback to the prompt without a variant.
    pub fn get(&self, name: &str) -> Result<&PromptFile, Error> {
        self.prompts.get(name).ok_or_else(|| {
            let unknown = Unknown::new(name, self.prompts.keys().map(String::as_str));
            Error::new(ErrorKind::UnknownPrompt {
                folder: self.path.display().to_string(),
                unknown,
            })
        })
    }
}
