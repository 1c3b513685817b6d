//! Prompts created at run time, from a closure instead of an annotated function.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::options::{PromptOptions, PromptTool};
use super::reply::{IntoPrompt, PromptReply};
use super::{Prompt, PromptData};
use crate::action::call::{ActionHandler, forward_to, from_closure};
use crate::action::completion::{Completers, completing};
use crate::action::definition::Definition;
use crate::action::handler_error::{HandlerInput, HandlerResult};
use crate::action::info::{Info, describing};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::template::Templates;
use genkit_schema::internal::Schemas;

impl Prompt {
    /// Creates a builder for a prompt.
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
        PromptBuilder::new(Info::from_builder(name.into(), description.into()))
    }

    /// Creates a builder for another program's prompt.
    #[doc(hidden)]
    pub fn from_server(name: String, description: String) -> PromptBuilder {
        PromptBuilder::new(Info::from_server(name, description))
    }
}

/// A builder of a [`Prompt`]. Created by [`Prompt::builder`].
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
    pub(super) info: Info,
    pub(super) version: Option<Cow<'static, str>>,
    timeout: Option<Duration>,
    completers: Completers,
    pub(super) options: PromptOptions,
    pub(super) input_schema: Option<Value>,
    pub(super) template: Option<Arc<str>>,
    /// The template of the system message.
    pub(super) system: Option<String>,
    pub(super) templates: Templates,
}

describing!(PromptBuilder);
completing!(PromptBuilder);

impl PromptBuilder {
    /// Creates a builder for a prompt that is defined in a file.
    pub(super) fn from_file(name: String, file: String) -> Self {
        Self::new(Info::from_file(name, file))
    }

    fn new(info: Info) -> Self {
        let (completers, options) = (Completers::default(), PromptOptions::default());
        Self {
            info,
            version: None,
            timeout: None,
            completers,
            options,
            input_schema: None,
            template: None,
            system: None,
            templates: Templates::default(),
        }
    }

    pub(super) fn build(self, schemas: Schemas, handler: ActionHandler<PromptReply>) -> Prompt {
        let definition = Definition::from_builder(self.info, schemas, handler);
        let Self { version, timeout, completers, template, .. } = self;
        let options = Arc::new(self.options);
        Prompt(Arc::new(PromptData { definition, version, timeout, options, completers, template }))
    }

    /// Adds a required string argument. The handler needs no input type: it takes a `Map<String, Value>`.
    ///
    /// ```
    /// use genkit::{Context, Prompt};
    /// use serde_json::{Map, Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let prompt = Prompt::builder("trip", "Plans a trip.")
    ///     .argument("city", "The city.")
    ///     .optional_argument("style", "How it is written.")
    ///     .handler(|_: Context, input: Map<String, Value>| async move {
    ///         Ok(format!("A trip to {}, please.", input["city"].as_str().unwrap_or_default()))
    ///     });
    /// assert!(prompt.arguments()[0].required && !prompt.arguments()[1].required);
    /// assert!(prompt.render(json!({"style": "short"})).await.is_err()); // no city
    /// # Ok(())
    /// # }
    /// ```
    pub fn argument(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.with_argument(name.into(), description.into(), true)
    }

    /// Adds an optional string argument.
    pub fn optional_argument(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        self.with_argument(name.into(), description.into(), false)
    }

    fn with_argument(mut self, name: String, description: String, required: bool) -> Self {
        let object = || json!({ "type": "object", "additionalProperties": false });
        let schema = self.input_schema.get_or_insert_with(object);
        // A schema that is not an object is left unchanged; the registry's check reports it.
        let Some(schema) = schema.as_object_mut() else { return self };
        let about = json!({ "type": "string", "description": description });
        match schema.entry("properties").or_insert_with(|| json!({})) {
            Value::Object(properties) => drop(properties.insert(name.clone(), about)),
            _ => return self,
        }
        if required && let Value::Array(names) = schema.entry("required").or_insert(json!([])) {
            names.push(name.into());
        }
        self
    }

    /// Sets the input schema, instead of deriving it from the handler's type. The handler needs no input type: it takes
    /// a `Map<String, Value>`. Defaults in the schema are applied before the arguments are checked.
    ///
    /// ```
    /// use genkit::{Context, Prompt};
    /// use serde_json::{Map, Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let prompt = Prompt::builder("trip", "Plans a trip.")
    ///     .input_schema(json!({
    ///         "type": "object",
    ///         "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}},
    ///         "required": ["city", "days"],
    ///     }))
    ///     .handler(|_: Context, input: Map<String, Value>| async move {
    ///         Ok(format!("{} days in {}.", input["days"], input["city"]))
    ///     });
    /// let reply = prompt.render(json!({"city": "Rome"})).await?;
    /// assert_eq!(reply.messages()[0].text(), "3 days in \"Rome\".");
    /// # Ok(())
    /// # }
    /// ```
    pub fn input_schema(mut self, schema: impl Into<Value>) -> Self {
        self.input_schema = Some(schema.into());
        self
    }

    /// Sets the model of the prompt's runs, by name. Default is the caller's model.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.options = self.options.with_model(model);
        self
    }

    /// Adds tools for the prompt's runs: `tools![..]`, values, names, or patterns with `*`.
    pub fn tools<T: Into<PromptTool>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.options = self.options.with_tools(tools);
        self
    }

    /// Adds model settings for the prompt's runs: `[("temperature", 0.2)]`. See `Generate::config` for the keys.
    pub fn config<K: Into<String>, V: Into<Value>>(
        mut self,
        settings: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        for (key, value) in settings {
            self.options = self.options.with_config_value(key, value);
        }
        self
    }

    /// Sets the turn limit: the maximum number of rounds of tool calls in each run. Default is the caller's limit.
    pub fn max_turns(mut self, rounds: usize) -> Self {
        self.options = self.options.with_max_turns(rounds);
        self
    }

    /// Sets the output type of the prompt's runs. The model receives its schema.
    ///
    /// ```
    /// use genkit::{Context, Prompt};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Dish { name: String }
    ///
    /// let prompt = Prompt::builder("dish", "Names a dish.")
    ///     .config([("temperature", 0.2)])
    ///     .max_turns(2)
    ///     .output::<Dish>()
    ///     .handler(|_: Context, _: ()| async move { Ok("A quick dish?") });
    /// assert!(prompt.options().output().is_some());
    /// assert_eq!(prompt.options().config()["temperature"], 0.2);
    /// ```
    pub fn output<T: DeserializeOwned + JsonSchema>(mut self) -> Self {
        self.options =
            self.options.with_output_schema(genkit_schema::internal::input_schema::<T>());
        self
    }

    /// Sets all prompt options, replacing earlier options.
    pub fn options(mut self, options: PromptOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the version of the prompt.
    pub fn version(mut self, version: impl Into<Cow<'static, str>>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the timeout of the prompt. Default is the caller's timeout, such as 60 seconds for a server.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Builds a prompt that forwards its requests to `function`.
    #[doc(hidden)]
    pub fn build_forwarding<F>(self, input_schema: Value, function: F) -> Prompt
    where
        F: Fn(Context, Value) -> BoxFuture<'static, Result<PromptReply>> + Send + Sync + 'static,
    {
        self.build(Schemas::foreign(input_schema, None), forward_to(function))
    }

    /// Sets the handler, a closure that returns the messages, and builds the prompt.
    pub fn handler<I, F, Fut>(self, function: F) -> Prompt
    where
        I: HandlerInput,
        F: Fn(Context, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: HandlerResult<Value: IntoPrompt + 'static>> + Send + 'static,
    {
        let schema = self.input_schema.clone();
        let schemas =
            Schemas::from_written(schema, genkit_schema::internal::input_schema::<I>, None, || {
                None
            });
        let write = move |context, input| function(context, input).map(HandlerResult::into_result);
        self.build(schemas, from_closure(write, |reply| Ok(IntoPrompt::into_prompt(reply))))
    }
}
