//! Prompts: functions that return messages.

mod builder;
mod files;
mod function;
mod options;
mod reply;
mod template;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::completion::{CompleteRequest, Completers};
use super::definition::{Definition, defined};
use super::invocation::{self, Invocation};
use super::tool::Tool;
use crate::blocking::{is_large, run_blocking};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::message::Message;
use crate::run_options::Document;
use crate::trace::{self, NewSpan, SpanKind};
use genkit_schema::internal::strictness::Strictness;

pub use builder::PromptBuilder;
pub use files::{LoadedPrompts, embedded_prompts, load_prompts_in};
pub use files::{StaticPromptFiles, written_schema};
pub use function::{PromptFn, StaticPrompt, into_config};
pub use options::{PromptOptions, PromptTool};
pub use reply::{IntoPrompt, PromptOutput, PromptReply};

/// An argument of a prompt, as shown to clients.
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
    /// The name of the argument.
    pub name: String,
    /// The description of the argument's meaning, and of its format if the argument is not plain text.
    pub description: Option<String>,
    /// Whether the argument is required.
    pub required: bool,
}

impl PromptArgument {
    #[doc(hidden)]
    pub fn new(name: String, description: Option<String>, required: bool) -> Self {
        Self { name, description, required }
    }
}

/// The messages and documents that a run has before its prompt is rendered, for templates.
#[derive(Default)]
pub struct Earlier {
    pub messages: Vec<Message>,
    pub docs: Vec<Document>,
}

/// A prompt: a name, a description, arguments and a function that returns messages.
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
    options: Arc<PromptOptions>,
    /// The source text, if the prompt is a template.
    template: Option<Arc<str>>,
    completers: Completers,
}

impl Prompt {
    /// Returns the prompt of an annotated function.
    pub fn of<F: PromptFn>() -> Self {
        Self::from_static(F::DEFINITION)
    }

    pub(crate) fn from_static(prompt: &'static StaticPrompt) -> Self {
        let completers = Completers::from_annotations(prompt.completers);
        let version = prompt.version.map(Cow::Borrowed);
        let definition = Definition::from_annotation(&prompt.definition, false);
        let options = Arc::new(prompt.options.map(|options| options()).unwrap_or_default());
        let timeout = prompt.timeout;
        Self(Arc::new(PromptData {
            definition,
            version,
            timeout,
            options,
            completers,
            template: None,
        }))
    }

    /// Returns this prompt under another name. The tools of the prompt are resolved with `find`.
    pub(crate) fn mount_as(&self, name: String, find: impl Fn(&str) -> Vec<Tool>) -> Self {
        let data = &self.0;
        Self(Arc::new(PromptData {
            definition: data.definition.with_name(name),
            version: data.version.clone(),
            timeout: data.timeout,
            options: Arc::new(data.options.as_ref().clone().with_tools_found(find)),
            template: data.template.clone(),
            completers: data.completers.clone(),
        }))
    }

    fn definition(&self) -> &Definition<PromptReply> {
        &self.0.definition
    }

    /// Returns the version, if the prompt has one. An MCP server sends it in `_meta`.
    pub fn version(&self) -> Option<&str> {
        self.0.version.as_deref()
    }

    /// Returns the timeout of the prompt. `None` means that the caller's default applies.
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// Returns the prompt options, which apply to the run that the prompt starts: its model, its tools and so on.
    ///
    /// ```
    /// use genkit::{Context, Prompt};
    ///
    /// let prompt = Prompt::builder("poem", "Asks for a poem.")
    ///     .model("gemini/gemini-2.5-flash")
    ///     .handler(|_: Context, _: serde_json::Value| async { Ok("A poem, please.") });
    /// assert_eq!(prompt.options().model(), Some("gemini/gemini-2.5-flash"));
    /// ```
    pub fn options(&self) -> &PromptOptions {
        &self.0.options
    }

    /// Returns the template text, if the prompt is a template.
    pub fn template(&self) -> Option<&str> {
        self.0.template.as_deref()
    }

    /// Returns the exact input schema of the arguments: the schema that was set, or the schema derived from the types.
    pub fn input_schema(&self) -> &Value {
        self.schemas().input()
    }

    /// Returns the arguments, derived from the input schema.
    pub fn arguments(&self) -> Vec<PromptArgument> {
        genkit_schema::internal::properties(self.schemas().portable_input())
            .map(|property| PromptArgument {
                name: property.name.to_owned(),
                description: property.described(),
                required: property.required,
            })
            .collect()
    }

    /// Renders the prompt: runs it with `arguments`, an object or a struct that serializes to one, and returns its
    /// messages. Values can also be strings, as MCP clients send them.
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
    /// See [`Invocation`].
    pub fn render(&self, arguments: impl Serialize) -> Invocation<PromptReply> {
        let (prompt, arguments) = (self.clone(), invocation::to_arguments(arguments));
        Invocation::new(self.name(), async move |context| {
            prompt.invoke_prompt(&context, arguments?, Strictness::Text).await
        })
        .with_limit(self.timeout())
    }

    /// Returns whether both are the same prompt, not only prompts with the same name.
    #[doc(hidden)]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns suggestions for an argument, if the prompt has that argument.
    #[doc(hidden)]
    pub fn complete_argument(
        &self,
        request: CompleteRequest,
    ) -> Option<BoxFuture<'static, Result<Vec<String>>>> {
        self.0.completers.complete_argument(self.schemas().portable_input(), request)
    }

    /// Applies defaults, checks the arguments, and runs the function without limits.
    #[doc(hidden)]
    pub fn invoke_prompt<'a>(
        &self,
        context: &'a Context,
        arguments: Value,
        how: Strictness,
    ) -> BoxFuture<'a, Result<PromptReply>> {
        self.invoke_as(SpanKind::Action("prompt"), context, arguments, how)
    }

    /// Invokes the prompt like [`invoke_prompt`](Self::invoke_prompt), with the given kind of span.
    #[doc(hidden)]
    pub fn invoke_as<'a>(
        &self,
        kind: SpanKind<'a>,
        context: &'a Context,
        arguments: Value,
        how: Strictness,
    ) -> BoxFuture<'a, Result<PromptReply>> {
        let prompt = self.clone();
        Box::pin(async move {
            let given = if trace::is_on() { arguments.clone() } else { Value::Null };
            let input = || given.clone();
            let span = NewSpan { name: prompt.name(), kind, input: &input };
            let output = |reply: &PromptReply| json!({ "messages": reply.messages });
            trace::trace_work(span, prompt.run_function(context, arguments, how), output).await
        })
    }

    async fn run_function(
        &self,
        context: &Context,
        arguments: Value,
        how: Strictness,
    ) -> Result<PromptReply> {
        // The arguments of a remote prompt are checked by the program that defines it.
        let is_large = is_large(&arguments);
        let arguments = match self.info().is_remote() {
            true => arguments,
            false => {
                let prompt = self.clone();
                let check = move || {
                    let arguments = prompt.schemas().with_defaults(arguments, how);
                    prompt.schemas().check_input(arguments, how)
                };
                if is_large { run_blocking(context, check).await? } else { check()? }
            }
        };
        let mut reply = self.definition().call(context, arguments, how).await?;
        reply.options.get_or_insert_with(|| Arc::clone(&self.0.options));
        Ok(reply)
    }
}

defined!(Prompt, name);
