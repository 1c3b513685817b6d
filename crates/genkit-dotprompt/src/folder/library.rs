//! The prompts of a folder, compiled.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Folder;
use crate::environment::{Environment, EnvironmentBuilder};
use crate::error::Error;
use crate::fault::{Fault, Unknown};
use crate::prompt::PromptFile;

/// All prompts of a folder with the environment that they share: one set that does not change, to be replaced as a
/// whole when a file does.
#[derive(Clone, Debug)]
pub struct Library {
    path: PathBuf,
    environment: Environment,
    prompts: BTreeMap<String, PromptFile>,
}

impl Library {
    /// Compiles a folder on top of what the builder has, and checks every prompt ([`Environment::check`]).
    ///
    /// # Errors
    /// Every mistake of every file.
    pub fn build(folder: &Folder, builder: EnvironmentBuilder) -> Result<Self, Vec<Error>> {
        let environment = builder.partials_of(folder)?.build();
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

    /// What the prompts share.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The prompts by full name, `mail/reply.formal`.
    pub fn prompts(&self) -> impl Iterator<Item = (&str, &PromptFile)> {
        self.prompts.iter().map(|(name, prompt)| (name.as_str(), prompt))
    }

    /// The prompt of a full name.
    ///
    /// # Errors
    /// There is none: the error has the folder, the names there are, and the nearest. A variant that is not there is
    /// not replaced by the prompt without one.
    pub fn get(&self, name: &str) -> Result<&PromptFile, Error> {
        self.prompts.get(name).ok_or_else(|| {
            let unknown = Unknown::new(name, self.prompts.keys().map(String::as_str));
            Error::new(Fault::UnknownPrompt { folder: self.path.display().to_string(), unknown })
        })
    }
}
