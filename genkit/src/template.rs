//! Prompt templates in the dotprompt language, and custom helpers for them.
//!
//! | to write | use |
//! |---|---|
//! | a folder of `.prompt` files | [`GenkitBuilder::prompts_dir`](crate::GenkitBuilder::prompts_dir) |
//! | one template in the program | [`PromptBuilder::template`](crate::action::PromptBuilder::template) |
//! | a custom helper | [`GenkitBuilder::template_helper`](crate::GenkitBuilder::template_helper) |
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
//! `@key` is a value of the [action context](crate::Context::action_context). A value is always rendered as text, so it
//! cannot become a role or an image.

#[doc(inline)]
pub use genkit_core::TemplateCall;
