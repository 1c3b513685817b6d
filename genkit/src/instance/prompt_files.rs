//! Folders of `.prompt` files: where they are, what their templates share, whether they are watched.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde_json::Value;

use super::GenkitBuilder;
use crate::environment::is_development;
use crate::error::Result;
use crate::prompts_dir::{PromptFiles, PromptsDir};
use crate::registry::Registry;
use crate::template::{Error as E, TemplateCall};

impl GenkitBuilder {
    /// Prompt folder: one of `.prompt` files, read when the instance is built: each becomes a prompt of the
    /// registry, of which it is a copy unless one is given. Called again, this is one more.
    ///
    /// | file | is |
    /// |---|---|
    /// | `trip.prompt` | the prompt `trip` |
    /// | `trip.formal.prompt` | its variant, the prompt `trip.formal` |
    /// | `mail/reply.prompt` | the prompt `mail/reply` |
    /// | `_header.prompt` | the partial `header`, for `{{> header}}` |
    ///
    /// ```
    /// use genkit::{Genkit, Registry, testing::ScriptedModel};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = std::env::temp_dir().join(format!("prompts-of-doc-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("trip.prompt"), r#"---
    /// model: house/planner
    /// input: {schema: {city: string, days?: integer}, default: {days: 3}}
    /// ---
    /// {{role "system"}}You plan trips.
    /// {{role "user"}}{{city}} for {{days}} days
    /// "#)?;
    /// let genkit = Genkit::builder()
    ///     .registry(Registry::new())
    ///     .model(ScriptedModel::text("Day one ..").with_name("house/planner"))
    ///     .prompts_dir(&folder)
    ///     .build()?;
    /// let response = genkit.prompt("trip").input(json!({"city": "Rome"})).await?;
    /// assert_eq!(response.text(), "Day one ..");
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Where the environment variable `GENKIT_ENV` is `dev` the folder is [watched](Self::watch_prompts). What
    /// is wrong with the files, and a folder that there is not, is an error of [`build`](Self::build): all mistakes
    /// with file, line and column.
    pub fn prompts_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.prompts.dirs.push(path.into());
        self
    }

    /// Watching of prompts: whether the folders are watched: a file that changes is read again within a second,
    /// all files as one set, and MCP clients are told. With a mistake in a file the prompts stay as they were, and
    /// the mistake is logged. Default is where `GENKIT_ENV` is `dev`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().watch_prompts(false); // also in development
    /// # let _ = builder;
    /// ```
    pub fn watch_prompts(mut self, yes: bool) -> Self {
        self.prompts.watch = Some(yes);
        self
    }

    /// JSON schema that `.prompt` files know by its name: `input: {schema: Trip}`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().schema("City", serde_json::json!({"type": "string"}));
    /// # let _ = builder;
    /// ```
    pub fn schema(mut self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        self.prompts.templates.schema(name.into(), schema.into());
        self
    }

    /// JSON schema of a type, which `.prompt` files know by the type's name: `output: {schema:
    /// Trip}`.
    ///
    /// ```
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Trip { days: Vec<String> }
    ///
    /// let builder = genkit::Genkit::builder().schema_of::<Trip>();
    /// # let _ = builder;
    /// ```
    pub fn schema_of<T: JsonSchema>(self) -> Self {
        let name = T::schema_name().into_owned();
        self.schema(name, crate::schema::inlined_of::<T>())
    }

    /// Template helper: one that the templates of the folders call: `{{shout name}}`. See
    /// [`TemplateCall`].
    ///
    /// ```
    /// let builder = genkit::Genkit::builder()
    ///     .template_helper("shout", |call| Ok(call.text(0)?.to_uppercase()));
    /// # let _ = builder;
    /// ```
    pub fn template_helper<T: Into<Value>>(
        mut self,
        name: impl Into<String>,
        helper: impl Fn(&TemplateCall<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Self {
        self.prompts.templates.helper(name.into(), helper);
        self
    }

    /// Template partial that the templates of the folders include, besides their own: `{{> name}}`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().template_partial("manners", "Be polite.");
    /// # let _ = builder;
    /// ```
    pub fn template_partial(
        mut self,
        name: impl Into<String>,
        template: impl Into<String>,
    ) -> Self {
        self.prompts.templates.partial(name.into(), template.into());
        self
    }

    /// The same with the prompts of its folders in its registry.
    pub(super) fn with_prompt_files(mut self) -> Result<Self> {
        let PromptFiles { dirs, templates, watch } = std::mem::take(&mut self.prompts);
        if dirs.is_empty() {
            return Ok(self);
        }
        let watched = watch.unwrap_or_else(is_development);
        let (mut loaded, mut mistakes) = (Vec::new(), Vec::new());
        for path in &dirs {
            let dir = PromptsDir::new(path.clone(), templates.clone());
            let seen = watched.then(|| dir.look());
            match dir.load() {
                Ok(prompts) => loaded.push((dir, prompts, seen)),
                Err(of_dir) => mistakes.extend(of_dir),
            }
        }
        if !mistakes.is_empty() {
            let shown: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
            return Err(E::Folder { folder: shown.join(", "), mistakes }.into());
        }
        let mut registry = self.registry.unwrap_or_else(Registry::linked);
        for (dir, prompts, seen) in loaded {
            registry = registry.add(prompts.iter().cloned());
            if let Some(seen) = seen {
                dir.watch(&registry, &prompts, seen);
            }
        }
        self.registry = Some(registry);
        Ok(self)
    }
}
