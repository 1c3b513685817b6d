//! Prompts: functions that write messages.

mod builder;
mod function;
mod reply;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::call::Strictness;
use super::completion::{CompleteRequest, Completers};
use super::definition::{Definition, defined};
use super::invocation::{self, Invocation};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;

pub use builder::PromptBuilder;
pub use function::{PromptFn, StaticPrompt};
pub use reply::{IntoPrompt, PromptOutput, PromptReply};

/// An argument of a prompt, as a client sees it.
///
/// ```
/// use genkit::{Prompt, prompt};
///
/// /// Reviews code.
/// #[prompt]
/// async fn review(
///     /// The code.
///     code: String,
///     focus: Option<String>,
/// ) -> String {
///     format!("Review this, {focus:?} first:\n{code}")
/// }
///
/// let [code, focus] = &Prompt::of::<review>().arguments()[..] else { panic!() };
/// assert_eq!((code.name.as_str(), code.required), ("code", true));
/// assert_eq!(code.description.as_deref(), Some("The code."));
/// assert!(!focus.required);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it means, and what it must look like where it is not plain text.
    pub description: Option<String>,
    /// Whether a call without it is refused.
    pub required: bool,
}

/// A prompt: a name, a description, arguments and a function that writes messages.
///
/// ```
/// use genkit::{Prompt, prompt};
///
/// /// Asks for a haiku.
/// #[prompt]
/// async fn haiku(
///     /// What it is about.
///     topic: String,
/// ) -> String {
///     format!("Write a haiku about {topic}.")
/// }
///
/// let prompt = Prompt::of::<haiku>();
/// assert_eq!(prompt.arguments()[0].description.as_deref(), Some("What it is about."));
/// ```
#[derive(Clone)]
pub struct Prompt(Arc<PromptData>);

struct PromptData {
    definition: Definition<PromptReply>,
    version: Option<Cow<'static, str>>,
    timeout: Option<Duration>,
    #[cfg_attr(not(feature = "mcp-server"), allow(dead_code, reason = "only servers ask for it"))]
    completers: Completers,
}

impl Prompt {
    /// The prompt behind an annotated function.
    pub fn of<F: PromptFn>() -> Self {
        Self::from_static(F::DEFINITION)
    }

    pub(crate) fn from_static(prompt: &'static StaticPrompt) -> Self {
        let completers = Completers::annotated(prompt.completers);
        let version = prompt.version.map(Cow::Borrowed);
        Self::new(Definition::annotated(&prompt.definition), version, prompt.timeout, completers)
    }

    fn new(
        definition: Definition<PromptReply>,
        version: Option<Cow<'static, str>>,
        timeout: Option<Duration>,
        completers: Completers,
    ) -> Self {
        Self(Arc::new(PromptData { definition, version, timeout, completers }))
    }

    fn definition(&self) -> &Definition<PromptReply> {
        &self.0.definition
    }

    /// Its version, if it has one; MCP sends it in `_meta`.
    pub fn version(&self) -> Option<&str> {
        self.0.version.as_deref()
    }

    /// Its own time limit; `None` is the default of whoever calls.
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// The exact schema of its arguments.
    pub fn input_schema(&self) -> &Value {
        self.schemas().input()
    }

    /// Its arguments, described from the signature.
    pub fn arguments(&self) -> Vec<PromptArgument> {
        crate::schema::properties(self.schemas().portable_input())
            .map(|property| PromptArgument {
                name: property.name.to_owned(),
                description: property.described(),
                required: property.required,
            })
            .collect()
    }

    /// Renders the prompt: runs it with `arguments`, an object or a struct that serializes to one,
    /// and gives its messages. Values may stand as text, as MCP clients send them.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{Prompt, prompt};
    /// use serde_json::json;
    ///
    /// /// Asks for a haiku.
    /// #[prompt]
    /// async fn haiku(topic: String) -> String {
    ///     format!("Write a haiku about {topic}.")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let reply = Prompt::of::<haiku>().render(json!({"topic": "rain"})).await?;
    /// assert_eq!(reply.messages()[0].text(), "Write a haiku about rain.");
    ///
    /// let model = ScriptedModel::text("…");
    /// genkit::generate(()).messages(reply.into_messages()).model(model).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Invocation`].
    pub fn render(&self, arguments: impl Serialize) -> Invocation<PromptReply> {
        let (prompt, arguments) = (self.clone(), invocation::arguments(arguments));
        Invocation::new(self.name(), async move |context| {
            prompt.invoke(&context, arguments?, Strictness::Text).await
        })
        .limited(self.timeout())
    }

    /// Whether both are one and the same, not only of one name.
    #[cfg(feature = "mcp-host")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Suggestions for an argument, if the prompt has that argument.
    #[cfg_attr(not(feature = "mcp-server"), allow(dead_code, reason = "only servers ask for it"))]
    pub(crate) fn complete(
        &self,
        request: CompleteRequest,
    ) -> Option<BoxFuture<'static, Result<Vec<String>>>> {
        self.0.completers.complete(self.schemas().portable_input(), request)
    }

    /// Runs the function. No limits.
    pub(crate) fn invoke<'a>(
        &self,
        context: &'a Context,
        arguments: Value,
        how: Strictness,
    ) -> BoxFuture<'a, Result<PromptReply>> {
        self.definition().call(context, arguments, how)
    }
}

defined!(Prompt, name);
