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
//! The language has `{{value}}`, `{{#if}}`, `{{#unless}}`, `{{#each}}`, `{{#with}}`, `{{#ifEquals a b}}`, `{{json
//! value}}`, `{{role "system"}}`, `{{history}}`, `{{media url=u}}`, `{{section "name"}}` and partials `{{> name}}`.
//! `@key` is a value of the [action context](crate::context::Context::action_context). A value is always rendered as text, so it
//! cannot become a role or an image.

mod error;
mod settings;

use serde_json::{Map, Value};

pub use error::Error;
pub use settings::Templates;

use crate::error::Result;

/// A call of a custom helper in a template, with its arguments.
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
    /// Returns the positional arguments. An argument that is missing in the input is `null`.
    pub fn values(&self) -> &[Value] {
        self.0.params()
    }

    /// Returns the named arguments (`key=value`).
    pub fn named(&self) -> &Map<String, Value> {
        self.0.hash()
    }

    /// Returns the text of the positional argument at this index, from 0.
    ///
    /// # Errors
    /// Returns an error if there is no text at this index.
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
