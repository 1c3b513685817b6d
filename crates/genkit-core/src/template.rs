//! Prompt templates in the dotprompt language, and custom helpers for them.
//!
//! | goal | method |
//! |---|---|
//! | a folder of `.prompt` files | `GenkitBuilder::prompts_dir` |
//! | one template in the program | [`PromptBuilder::template`](crate::action::PromptBuilder::template) |
//! | a custom helper | `GenkitBuilder::template_helper` |
//!
//! ```
//! use genkit::Prompt;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let prompt = Prompt::builder("trip", "Plans a trip.")
//!     .argument("city", "The city.")
//!     .template(r#"{{role "system"}}You plan trips.{{role "user"}}A trip to {{city}}, please."#)?;
//! let options = genkit::prompt(prompt).input(json!({"city": "Rome"})).render().await?;
//! assert_eq!(options.messages[1].text(), "A trip to Rome, please.");
//! # Ok(())
//! # }
//! ```
//!
//! The language supports `{{value}}`, `{{#if}}`, `{{#unless}}`, `{{#each}}`, `{{#with}}`, `{{#ifEquals a b}}`,
//! `{{json value}}`, `{{role "system"}}`, `{{history}}`, `{{media url=u}}`, `{{section "name"}}` and partials
//! `{{> name}}`. `@key` is a value of the [action context](crate::context::Context::action_context). A value is always
//! rendered as text, so it cannot become a role or an image.

use std::sync::Arc;

use genkit_dotprompt::{Environment, EnvironmentBuilder, HelperCall};
use serde_json::{Map, Value};

use crate::error::{ErrorKind, Result, Topic};
use genkit_untrusted::visible;

/// A call to a custom helper in a template, with its arguments.
///
/// ```
/// use genkit::Prompt;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let prompt = Prompt::builder("greet", "Greets.")
///     .argument("name", "Who.")
///     .template_helper("shout", |call| {
///         let mark = call.named().get("mark").and_then(|mark| mark.as_str()).unwrap_or("!");
///         Ok(format!("{}{mark}", call.text(0)?.to_uppercase()))
///     })
///     .template(r#"Hello {{shout name mark="!!"}}"#)?;
/// let reply = prompt.render(json!({"name": "Ann"})).await?;
/// assert_eq!(reply.messages()[0].text(), "Hello ANN!!");
/// # Ok(())
/// # }
/// ```
pub struct TemplateCall<'a>(&'a genkit_dotprompt::HelperCall<'a>);

impl TemplateCall<'_> {
    /// Returns the positional arguments. An argument that is missing from the input is `null`.
    pub fn values(&self) -> &[Value] {
        self.0.params()
    }

    /// Returns the named arguments (`key=value`).
    pub fn named(&self) -> &Map<String, Value> {
        self.0.hash()
    }

    /// Returns the positional argument at this index (from 0) as text.
    ///
    /// # Errors
    /// Returns an error if the argument is missing or is not text.
    pub fn text(&self, position: usize) -> Result<&str> {
        Ok(self.0.text(position).map_err(Error::HelperValue)?)
    }
}

impl std::fmt::Debug for TemplateCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The arguments of a template may be secret.
        f.debug_struct("TemplateCall").field("values", &self.values().len()).finish_non_exhaustive()
    }
}

type Helper = Arc<dyn Fn(&TemplateCall<'_>) -> Result<Value> + Send + Sync>;

/// The settings that the templates of a program share.
#[derive(Clone, Default)]
pub struct Templates {
    partials: Vec<(String, String)>,
    schemas: Vec<(String, Value)>,
    helpers: Vec<(String, Helper)>,
}

impl Templates {
    pub fn partial(&mut self, name: String, source: String) {
        self.partials.push((name, source));
    }

    pub fn schema(&mut self, name: String, schema: Value) {
        self.schemas.push((name, schema));
    }

    pub fn helper<T: Into<Value>>(
        &mut self,
        name: String,
        helper: impl Fn(&TemplateCall<'_>) -> Result<T> + Send + Sync + 'static,
    ) {
        self.helpers.push((name, Arc::new(move |call| helper(call).map(Into::into))));
    }

    /// Creates the environment from these settings and those that `more` adds, or returns all errors in them.
    pub(crate) fn build_environment(
        &self,
        more: impl FnOnce(
            EnvironmentBuilder,
        ) -> Result<EnvironmentBuilder, Vec<genkit_dotprompt::Error>>,
    ) -> Result<Environment, Vec<String>> {
        let all = |mistakes: Vec<genkit_dotprompt::Error>| {
            mistakes.iter().map(ToString::to_string).collect()
        };
        let one = |mistake: genkit_dotprompt::Error| vec![mistake.to_string()];
        let mut builder = Environment::builder().log(log_text);
        for (name, schema) in &self.schemas {
            builder = builder.schema(name, schema.clone());
        }
        for (name, helper) in &self.helpers {
            let helper = Arc::clone(helper);
            let call = move |call: &HelperCall<'_>| {
                helper(&TemplateCall(call)).map_err(|error| error.chain())
            };
            builder = builder.helper(name, call).map_err(one)?;
        }
        for (name, source) in &self.partials {
            builder = builder.partial(name, source).map_err(one)?;
        }
        more(builder).map(EnvironmentBuilder::build).map_err(all)
    }
}

/// Logs the text of `{{log ..}}` with `tracing`.
fn log_text(level: &str, text: &str) {
    match level {
        "error" => tracing::error!(target: "genkit::template", "{}", visible::escape_line(text)),
        "warn" => tracing::warn!(target: "genkit::template", "{}", visible::escape_line(text)),
        "debug" => tracing::debug!(target: "genkit::template", "{}", visible::escape_line(text)),
        _ => tracing::info!(target: "genkit::template", "{}", visible::escape_line(text)),
    }
}

/// An error of a template or a `.prompt` file.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    HelperValue(String),
    /// An error in a template. The text starts with its file, line and column.
    #[error("{0}")]
    Template(String),
    #[error("{0}")]
    Rendering(String),
    #[error(
        "the system text of `{0}` must be a single text message; remove `role`, `history`, `media` and `section`"
    )]
    SystemText(String),
    #[error(
        "the template `{0}` is defined in the program, so it must not have frontmatter; use the builder methods \
         instead"
    )]
    FrontmatterHere(String),
    #[error("{0}: `input.schema` must describe an object, since callers send named arguments")]
    InputNoObject(String),
    #[error("{}", list_mistakes(.folder, .mistakes))]
    Folder { folder: String, mistakes: Vec<String> },
    #[error("a message of the prompt is malformed: {0}")]
    Message(String),
}

/// Formats a single error unchanged, and several errors with one line each.
fn list_mistakes(folder: &str, mistakes: &[String]) -> String {
    match mistakes {
        [one] => one.clone(),
        many => {
            let lines: String = many.iter().map(|mistake| format!("\n  - {mistake}")).collect();
            format!("the prompts in `{folder}` have {} errors:{lines}", many.len())
        }
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::HelperValue(_) | Self::Rendering(_) => ErrorKind::InvalidArgument,
            Self::Message(_) => ErrorKind::Internal,
            _ => ErrorKind::FailedPrecondition,
        }
    }
}
