//! Folders of `.prompt` files: their paths, shared template data, and watching.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde_json::Value;

use super::InstanceBuilder;
use crate::prompts_dir::{PromptFiles, PromptsDir};
use genkit_core::Registry;
use genkit_core::Result;
use genkit_core::TemplateCall;
use genkit_core::internal::environment::is_development;
use genkit_core::internal::template::Error as E;

impl InstanceBuilder {
    pub fn prompts_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.prompts.dirs.push(path.into());
        self
    }

    pub fn watch_prompts(mut self, yes: bool) -> Self {
        self.prompts.watch = Some(yes);
        self
    }

    pub fn schema(mut self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        self.prompts.templates.schema(name.into(), schema.into());
        self
    }

    pub fn schema_of<T: JsonSchema>(self) -> Self {
        let name = T::schema_name().into_owned();
        self.schema(name, genkit_schema::internal::inlined_schema::<T>())
    }

    pub fn template_helper<T: Into<Value>>(
        mut self,
        name: impl Into<String>,
        helper: impl Fn(&TemplateCall<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Self {
        self.prompts.templates.helper(name.into(), helper);
        self
    }

    pub fn template_partial(
        mut self,
        name: impl Into<String>,
        template: impl Into<String>,
    ) -> Self {
        self.prompts.templates.partial(name.into(), template.into());
        self
    }

    pub(super) fn with_prompt_files(mut self) -> Result<Self> {
        let PromptFiles { dirs, templates, watch } = std::mem::take(&mut self.prompts);
        if dirs.is_empty() {
            return Ok(self);
        }
        let watched = watch.unwrap_or_else(is_development);
        let (mut loaded, mut mistakes) = (Vec::new(), Vec::new());
        for path in &dirs {
            let dir = PromptsDir::new(path.clone(), templates.clone());
            let seen = watched.then(|| dir.take_fingerprint());
            match dir.load_prompts() {
                Ok(found) => {
                    dir.log_mistakes(&found.errors);
                    loaded.push((dir, found.prompts, seen));
                }
                Err(of_dir) => mistakes.extend(of_dir),
            }
        }
        if !mistakes.is_empty() {
            let shown: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
            return Err(E::Folder { folder: shown.join(", "), mistakes }.into());
        }
        let mut registry = self.bound.registry.unwrap_or_else(Registry::linked);
        for (dir, prompts, seen) in loaded {
            registry = registry.add(prompts.iter().cloned());
            if let Some(seen) = seen {
                dir.start_watching(&registry, &prompts, seen);
            }
        }
        self.bound.registry = Some(registry);
        Ok(self)
    }
}
