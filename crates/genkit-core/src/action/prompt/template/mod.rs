//! Prompts that are templates: their data and their rendering.

mod frontmatter;
mod messages;

use std::sync::Arc;

use genkit_dotprompt::{Environment, PromptFile};
use serde_json::{Map, Value, json};

use super::{Prompt, PromptBuilder};
use crate::action::call::from_closure;
use crate::context::Context;
use crate::error::Result;
use crate::template::{Error as E, TemplateCall};
use genkit_schema::internal::Schemas;

pub(super) use frontmatter::apply_frontmatter;

/// The parsed template of a prompt.
pub(super) struct PromptTemplate {
    pub(super) environment: Environment,
    pub(super) system: Option<PromptFile>,
    pub(super) messages: PromptFile,
}

impl PromptBuilder {
    /// Sets a template for the system message, which comes before the other messages. This template must not use
    /// `role`.
    ///
    /// ```
    /// use genkit::Prompt;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let prompt = Prompt::builder("trip", "Plans a trip.")
    ///     .argument("city", "The city.")
    ///     .system("You know {{city}} well.")
    ///     .template("A trip to {{city}}, please.")?;
    /// let reply = prompt.render(json!({"city": "Rome"})).await?;
    /// assert_eq!(reply.messages()[0].text(), "You know Rome well.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn system(mut self, template: impl Into<String>) -> Self {
        self.system = Some(template.into());
        self
    }

    /// Adds a partial, which the template includes with `{{> name}}`.
    ///
    /// ```
    /// use genkit::Prompt;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let prompt = Prompt::builder("poem", "Asks for a poem.")
    ///     .partial("manners", "Please.")
    ///     .template("A poem! {{> manners}}")?;
    /// assert_eq!(prompt.render(()).await?.messages()[0].text(), "A poem! Please.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn partial(mut self, name: impl Into<String>, template: impl Into<String>) -> Self {
        self.templates.partial(name.into(), template.into());
        self
    }

    /// Adds a template helper that the template can call; see [`TemplateCall`].
    pub fn template_helper<T: Into<Value>>(
        mut self,
        name: impl Into<String>,
        helper: impl Fn(&TemplateCall<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Self {
        self.templates.helper(name.into(), helper);
        self
    }

    /// Sets the template and builds the prompt. The template is a string in the dotprompt language that renders to the
    /// messages, so the prompt needs neither a handler nor an input type. See `genkit::template`.
    ///
    /// # Errors
    /// Returns the errors of the template, with line and column: invalid syntax, unknown helpers and partials.
    pub fn template(self, template: &str) -> Result<Prompt> {
        let name = self.info.name.to_string();
        let mistake = |error: genkit_dotprompt::Error| E::Template(error.to_string());
        let folder = |mistakes| E::Folder { folder: name.clone(), mistakes };
        let environment = self.templates.build_environment(Ok).map_err(folder)?;
        let messages = PromptFile::parse(&name, template).map_err(mistake)?;
        let system_name = format!("{name} (system)");
        let system = self.system.as_deref().map(|text| PromptFile::parse(&system_name, text));
        let system = system.transpose().map_err(mistake)?;
        let mut mistakes = Vec::new();
        for file in system.iter().chain([&messages]) {
            if file.raw().is_some() {
                return Err(E::FrontmatterHere(name).into());
            }
            mistakes.extend(environment.check(file).iter().map(ToString::to_string));
        }
        if !mistakes.is_empty() {
            return Err(folder(mistakes).into());
        }
        let (schema, source) = (self.input_schema.clone(), messages.template().to_owned());
        Ok(self.with_template(schema, &source, PromptTemplate { environment, system, messages }))
    }

    /// Builds a prompt from a parsed template.
    pub(super) fn with_template(
        mut self,
        schema: Option<Value>,
        source: &str,
        template: PromptTemplate,
    ) -> Prompt {
        self.template = Some(source.into());
        let template = Arc::new(template);
        let render = move |context: Context, input: Map<String, Value>| {
            std::future::ready(template.render_template(&context, input))
        };
        let any = || json!({ "type": "object" });
        let schemas = Schemas::from_written(Some(schema.unwrap_or_else(any)), any, None, || None);
        self.build(schemas, from_closure(render, Ok))
    }
}
