//! Folders of `.prompt` files, and the schemas, helpers and partials of their templates.

use genkit_core::Result;
use serde_json::Value;

use super::GenkitBuilder;
use crate::template::TemplateCall;

impl GenkitBuilder {
    /// Adds a folder of `.prompt` files, which is read when the instance is built. Each file becomes a prompt in the
    /// given registry, or in a copy of the program's registry. This method can be called several times.
    ///
    /// | file | result |
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
    /// If the environment variable `GENKIT_ENV` is `dev`, the folder is [watched](Self::watch_prompts). A file with an
    /// error is skipped, and the error is logged with file, line and column. [`build`](Self::build) returns all errors
    /// if the folder is missing or no file in it can be used. The macro `prompts!` reports each error at compile time.
    pub fn prompts_dir(self, path: impl Into<std::path::PathBuf>) -> Self {
        Self(self.0.prompts_dir(path))
    }

    /// Sets whether the prompt folders are watched. If a file changes, all files are reloaded together within a second,
    /// and MCP clients are notified. If a file has an error, its prompt stays unchanged and the error is logged. By
    /// default, the folders are watched only if `GENKIT_ENV` is `dev`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().watch_prompts(false); // not even in development
    /// # let _ = builder;
    /// ```
    pub fn watch_prompts(self, yes: bool) -> Self {
        Self(self.0.watch_prompts(yes))
    }

    /// Adds a JSON schema that `.prompt` files refer to by this name: `input: {schema: Trip}`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().schema("City", serde_json::json!({"type": "string"}));
    /// # let _ = builder;
    /// ```
    pub fn schema(self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        Self(self.0.schema(name, schema))
    }

    /// Adds the JSON schema of a type, which `.prompt` files refer to by the name of the type:
    /// `output: {schema: Trip}`.
    ///
    /// ```
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Trip { days: Vec<String> }
    ///
    /// let builder = genkit::Genkit::builder().schema_for::<Trip>();
    /// # let _ = builder;
    /// ```
    pub fn schema_for<T: schemars::JsonSchema>(self) -> Self {
        Self(self.0.schema_of::<T>())
    }

    /// Adds a template helper, which templates in the prompt folders call as `{{shout name}}`. See [`TemplateCall`].
    ///
    /// ```
    /// let builder = genkit::Genkit::builder()
    ///     .template_helper("shout", |call| Ok(call.text(0)?.to_uppercase()));
    /// # let _ = builder;
    /// ```
    pub fn template_helper<T: Into<Value>>(
        self,
        name: impl Into<String>,
        helper: impl Fn(&TemplateCall<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Self {
        Self(self.0.template_helper(name, helper))
    }

    /// Adds a template partial, which templates in the prompt folders include as `{{> name}}`, in addition to partials
    /// in the folders.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().template_partial("manners", "Be polite.");
    /// # let _ = builder;
    /// ```
    pub fn template_partial(self, name: impl Into<String>, template: impl Into<String>) -> Self {
        Self(self.0.template_partial(name, template))
    }
}
