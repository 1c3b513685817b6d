//! Prompts made at run time: a closure instead of an annotated function.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use futures_util::TryFutureExt as _;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Prompt;
use super::reply::{IntoPrompt, PromptReply};
use crate::action::call::{ActionHandler, closure, forward};
use crate::action::completion::{Completers, completing};
use crate::action::definition::Definition;
use crate::action::handler_error::HandlerError;
use crate::action::info::{Info, describing};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::schema::Schemas;

impl Prompt {
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
    #[cfg_attr(
        not(feature = "mcp-host"),
        allow(dead_code, reason = "only hosts make remote actions")
    )]
    pub(crate) fn remote(name: String, description: String) -> PromptBuilder {
        PromptBuilder::new(Info::remote(name, description))
    }
}

/// A prompt in the making: see [`Prompt::builder`].
///
/// ```
/// use genkit::{Context, Message, Prompt};
/// use std::time::Duration;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct About { topic: String }
///
/// let prompt = Prompt::builder("haiku", "Asks for a haiku.")
///     .title("Haiku")
///     .version("2")
///     .timeout(Duration::from_secs(5))
///     .tag("poems")
///     .metadata("owner", "ops")
///     .icon("https://example.com/haiku.png")
///     .complete("topic", |_| async { ["rain", "snow"] })
///     .handler(|_: Context, about: About| async move {
///         Ok(Message::user(format!("Write a haiku about {}.", about.topic)))
///     });
/// assert_eq!((prompt.title(), prompt.version()), (Some("Haiku"), Some("2")));
/// assert_eq!(prompt.timeout(), Some(Duration::from_secs(5)));
/// assert_eq!(prompt.tags().collect::<Vec<_>>(), ["poems"]);
/// assert_eq!(prompt.metadata()["owner"], "ops");
/// assert_eq!(prompt.input_schema()["required"][0], "topic");
/// ```
#[must_use = "a builder does nothing until `.handler(..)`"]
pub struct PromptBuilder {
    info: Info,
    version: Option<Cow<'static, str>>,
    timeout: Option<Duration>,
    completers: Completers,
}

describing!(PromptBuilder);
completing!(PromptBuilder);

impl PromptBuilder {
    fn new(info: Info) -> Self {
        Self { info, version: None, timeout: None, completers: Completers::default() }
    }

    fn build(self, schemas: Schemas, handler: ActionHandler<PromptReply>) -> Prompt {
        let definition = Definition::dynamic(self.info, schemas, handler);
        Prompt::new(definition, self.version, self.timeout, self.completers)
    }

    /// Its version.
    pub fn version(mut self, version: impl Into<Cow<'static, str>>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Its own time limit. Default is that of whoever calls: 60 seconds for a server.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Ends the making of a [`Prompt::remote`]: `function` forwards the request.
    #[cfg_attr(
        not(feature = "mcp-host"),
        allow(dead_code, reason = "only hosts make remote actions")
    )]
    pub(crate) fn forwards<F>(self, input_schema: Value, function: F) -> Prompt
    where
        F: Fn(Context, Value) -> BoxFuture<'static, Result<PromptReply>> + Send + Sync + 'static,
    {
        self.build(Schemas::foreign(input_schema, None), forward(function))
    }

    /// Ends the making: the closure that writes the messages.
    pub fn handler<I, T, F, Fut>(self, function: F) -> Prompt
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        T: IntoPrompt + 'static,
        F: Fn(Context, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, HandlerError>> + Send + 'static,
    {
        let schemas = Schemas::derived(crate::schema::input_of::<I>, || None);
        let write =
            move |context, input| function(context, input).map_err(HandlerError::into_error);
        self.build(schemas, closure(write, |reply: T| Ok(reply.into_prompt())))
    }
}
