//! Prompts: functions that write messages.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::args::Strictness;
use super::completion::{Completers, Completion, IntoSuggestions, Suggesting};
use super::definition::{PromptDefinition, PromptFn};
use super::handler::{Calling, Handler, closure};
use super::info::{Info, Location, described, describing};
use super::lent::Requirement;
use crate::context::Context;
use crate::error::Result;
use crate::message::{Message, Part};
use crate::schema::Schemas;

/// The result of a prompt: messages, and perhaps a description of this result.
///
/// ```
/// use genkit::{Message, PromptReply, prompt};
///
/// /// Reviews code.
/// #[prompt]
/// async fn review(code: String) -> PromptReply {
///     PromptReply::new([
///         Message::user(format!("Review this code:\n{code}")),
///         Message::model("I will look for mistakes first, then for style."),
///     ])
///     .description("A review in two steps")
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptReply {
    pub(crate) messages: Vec<Message>,
    pub(crate) description: Option<String>,
}

impl PromptReply {
    /// A reply of `messages`.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), description: None }
    }

    /// Says what these messages are.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The messages.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }
}

/// The result of a prompt after its type is gone.
pub type PromptOutput = PromptReply;

/// A type that a prompt can return, bare or in a `Result` of any alias.
///
/// Text and parts are one message of the user.
///
/// ```
/// use genkit::{Message, Result, prompt};
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem(topic: String) -> String {
///     format!("Write a poem about {topic}.")
/// }
///
/// /// Begins a chat.
/// #[prompt]
/// async fn chat(name: String) -> Result<Vec<Message>> {
///     Ok(vec![Message::user(format!("I am {name}.")), Message::model("How can I help?")])
/// }
/// # assert_eq!(genkit::prompts![poem, chat].len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a prompt",
    label = "not messages",
    note = "return `String`, `Part`, `Vec<Part>`, `Message`, `Vec<Message>` or `PromptReply`"
)]
pub trait IntoPrompt {
    #[doc(hidden)]
    fn into_prompt(self) -> PromptReply;
}

#[diagnostic::do_not_recommend]
impl IntoPrompt for PromptReply {
    fn into_prompt(self) -> PromptReply {
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt for String {
    fn into_prompt(self) -> PromptReply {
        Message::user(self).into_prompt()
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt for &str {
    fn into_prompt(self) -> PromptReply {
        Message::user(self).into_prompt()
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt for Part {
    fn into_prompt(self) -> PromptReply {
        Message::user(self).into_prompt()
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt for Vec<Part> {
    fn into_prompt(self) -> PromptReply {
        Message::new(crate::message::Role::User, self).into_prompt()
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt for Message {
    fn into_prompt(self) -> PromptReply {
        PromptReply::new([self])
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt for Vec<Message> {
    fn into_prompt(self) -> PromptReply {
        PromptReply::new(self)
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> IntoPrompt for [Message; N] {
    fn into_prompt(self) -> PromptReply {
        PromptReply::new(self)
    }
}

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
pub struct Prompt(Arc<Inner>);

struct Inner {
    info: Info,
    version: Option<Cow<'static, str>>,
    schemas: Schemas,
    requirements: Vec<Requirement>,
    completers: Completers,
    handler: Handler<PromptReply>,
}

impl Prompt {
    /// The prompt behind an annotated function.
    pub fn of<F: PromptFn>() -> Self {
        Self::from_definition(F::DEFINITION)
    }

    pub(crate) fn from_definition(definition: &'static PromptDefinition) -> Self {
        let erased = definition.erased;
        Self(Arc::new(Inner {
            info: definition.described.info(),
            version: definition.version.map(Cow::Borrowed),
            schemas: Schemas::derived(erased.input, erased.output),
            requirements: (erased.requirements)(),
            completers: Completers::annotated(definition.completers),
            handler: Handler::Static(erased.call),
        }))
    }

    /// Begins a prompt that is made at run time.
    ///
    /// ```
    /// use genkit::{Context, Prompt};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct About { topic: String }
    ///
    /// let prompt = Prompt::builder("limerick", "Asks for a limerick.")
    ///     .handler(|_: Context, about: About| async move { Ok(format!("A limerick on {}.", about.topic)) });
    /// assert_eq!(prompt.arguments()[0].name, "topic");
    /// ```
    #[track_caller]
    pub fn builder(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> PromptBuilder {
        PromptBuilder::new(Info::dynamic(name.into(), description.into()))
    }

    /// Begins a prompt that another program has.
    pub(crate) fn remote(name: String, description: String) -> PromptBuilder {
        PromptBuilder::new(Info::remote(name, description))
    }

    /// Its version, if it has one; MCP sends it in `_meta`.
    pub fn version(&self) -> Option<&str> {
        self.0.version.as_deref()
    }

    /// The exact schema of its arguments.
    pub fn input_schema(&self) -> &Value {
        self.0.schemas.input()
    }

    /// Its arguments, described from the signature.
    pub fn arguments(&self) -> Vec<PromptArgument> {
        crate::schema::properties(self.0.schemas.portable_input())
            .map(|property| PromptArgument {
                name: property.name.to_owned(),
                description: property.described(),
                required: property.required,
            })
            .collect()
    }

    /// Whether both are one and the same, not only of one name.
    #[cfg(feature = "mcp-host")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn info(&self) -> &Info {
        &self.0.info
    }

    pub(crate) fn requirements(&self) -> &[Requirement] {
        &self.0.requirements
    }

    /// Suggestions for an argument, if the prompt has that argument.
    pub(crate) fn complete(&self, asked: Completion) -> Option<Suggesting> {
        super::completion::of(&self.0.completers, self.0.schemas.portable_input(), asked)
    }

    pub(crate) fn invoke<'a>(
        &self,
        context: &'a Context,
        arguments: Value,
        how: Strictness,
    ) -> Calling<'a, PromptReply> {
        self.0.handler.call(context, arguments, how)
    }
}

described!(Prompt);

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Prompt").field(&self.name()).finish()
    }
}

/// A prompt in the making: see [`Prompt::builder`].
///
/// ```
/// use genkit::{Context, Message, Prompt};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct About { topic: String }
///
/// let prompt = Prompt::builder("haiku", "Asks for a haiku.")
///     .title("Haiku")
///     .version("2")
///     .tag("poems")
///     .metadata("owner", "ops")
///     .icon("https://example.com/haiku.png")
///     .complete("topic", |_| async { ["rain", "snow"] })
///     .handler(|_: Context, about: About| async move {
///         Ok(Message::user(format!("Write a haiku about {}.", about.topic)))
///     });
/// assert_eq!((prompt.title(), prompt.version()), (Some("Haiku"), Some("2")));
/// assert_eq!(prompt.tags().collect::<Vec<_>>(), ["poems"]);
/// assert_eq!(prompt.metadata()["owner"], "ops");
/// assert_eq!(prompt.input_schema()["required"][0], "topic");
/// ```
#[must_use = "a builder does nothing until `.handler(..)`"]
pub struct PromptBuilder {
    info: Info,
    version: Option<Cow<'static, str>>,
    completers: Completers,
}

describing!(PromptBuilder);

impl PromptBuilder {
    fn new(info: Info) -> Self {
        Self { info, version: None, completers: Completers::default() }
    }

    fn build(self, schemas: Schemas, handler: Handler<PromptReply>) -> Prompt {
        Prompt(Arc::new(Inner {
            info: self.info,
            version: self.version,
            schemas,
            requirements: Vec::new(),
            completers: self.completers,
            handler,
        }))
    }

    /// Its version.
    pub fn version(mut self, version: impl Into<Cow<'static, str>>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Suggestions for one argument.
    pub fn complete<F, Fut>(mut self, argument: impl Into<Cow<'static, str>>, function: F) -> Self
    where
        F: Fn(Completion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoSuggestions> + Send + 'static,
    {
        self.completers.add(argument.into(), function);
        self
    }

    /// Ends the making of a [`Prompt::remote`]: `function` hands the request on.
    pub(crate) fn forwards(
        self,
        input_schema: Value,
        function: impl Fn(Context, Value) -> Calling<'static, PromptReply> + Send + Sync + 'static,
    ) -> Prompt {
        let handler = Arc::new(move |context, arguments, _| function(context, arguments));
        self.build(Schemas::foreign(input_schema, None), Handler::Dynamic(handler))
    }

    /// Ends the making: the closure that writes the messages.
    pub fn handler<I, T, F, Fut>(self, function: F) -> Prompt
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        T: IntoPrompt + 'static,
        F: Fn(Context, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        let schemas = Schemas::derived(crate::schema::input_of::<I>, || None);
        self.build(schemas, closure(function, |reply: T| Ok(reply.into_prompt())))
    }
}
