//! Tools created at run time, from a closure instead of an annotated function.

use std::borrow::Cow;
use std::future::Future;

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Tool;
use super::output::{IntoOutput, ToolOutput};
use super::settings::{ToolSettings, set_tool};
use crate::action::Resource;
use crate::action::call::{ActionHandler, Arguments, forward_to, from_closure, parse_with_json};
use crate::action::definition::Definition;
use crate::action::handler_error::{HandlerInput, HandlerResult};
use crate::action::info::{Info, describing};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use genkit_schema::internal::{Schemas, input_schema};

impl Tool {
    /// Creates a builder for a tool.
    ///
    /// ```
    /// use genkit::{Context, Tool};
    /// use serde_json::{Value, json};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Query { text: String }
    ///
    /// // The schema comes from a type:
    /// let search = Tool::builder("search", "Searches the archive.")
    ///     .read_only(true)
    ///     .handler(|_: Context, query: Query| async move { Ok(format!("nothing on {}", query.text)) });
    ///
    /// // or is written by hand:
    /// let lookup = Tool::builder("lookup", "Looks a word up.")
    ///     .input_schema(json!({"type": "object", "properties": {"word": {"type": "string"}}}))
    ///     .handler(|_: Context, input: Value| async move { Ok(input["word"].clone()) });
    /// assert_eq!(lookup.name(), "lookup");
    /// ```
    #[track_caller]
    pub fn builder(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> ToolBuilder {
        ToolBuilder::new(Info::from_builder(name.into(), description.into()))
    }

    /// Creates a builder for another program's tool.
    #[doc(hidden)]
    pub fn from_server(name: String, description: String) -> ToolBuilder {
        ToolBuilder::new(Info::from_server(name, description))
    }
}

/// A builder of a [`Tool`]. Created by [`Tool::builder`].
///
/// ```
/// use genkit::{Context, Tool};
/// use serde_json::json;
/// use std::time::Duration;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Order { item: String }
///
/// let order = Tool::builder("order", "Orders something from the shop.")
///     .title("Order")
///     .tag("shop")
///     .icon("https://example.com/cart.png")
///     .metadata("owner", "ops")
///     .read_only(false)
///     .destructive(false)
///     .idempotent(false)
///     .open_world(true)
///     .needs_approval(true)
///     .timeout(Duration::from_secs(10))
///     .max_output(64 * 1024)
///     // These replace the schemas of `Order` and of the closure's return type:
///     .input_schema(json!({"type": "object", "properties": {"item": {"enum": ["tea", "milk"]}}}))
///     .output_schema(json!({"type": "object", "properties": {"receipt": {"type": "string"}}}))
///     .handler(|ctx: Context, order: Order| async move {
///         ctx.info("ordering").await;
///         Ok(json!({"receipt": format!("one {}", order.item)}))
///     });
/// assert_eq!((order.title(), order.needs_approval()), (Some("Order"), true));
/// assert_eq!(order.tags().chain(order.icons()).count(), 2);
/// assert_eq!(order.metadata()["owner"], "ops");
/// assert_eq!(order.annotations().open_world, Some(true));
/// assert_eq!(order.timeout(), Some(Duration::from_secs(10)));
/// assert_eq!(order.max_output(), Some(65_536));
/// assert_eq!(order.output_schema().unwrap()["type"], "object");
/// ```
#[must_use = "a builder does nothing until `.handler(..)`"]
pub struct ToolBuilder {
    info: Info,
    settings: ToolSettings,
    input: Option<InputSchema>,
    output: Option<OutputSchema>,
}

/// The schema of the arguments, if it differs from the schema of the closure's input type.
enum InputSchema {
    Written(Value),
    Of { schema: fn() -> Value, check: CheckInput },
}

/// The schema of the result, if it differs from the schema of the closure's return type.
enum OutputSchema {
    Written(Value),
    Of(fn() -> Option<Value>),
}

/// A function that checks arguments by decoding them as a type, and returns them.
type CheckInput = fn(Arguments) -> Result<Value>;

fn check<T: DeserializeOwned>(arguments: Arguments) -> Result<Value> {
    parse_with_json::<T>(arguments).map(|(_, value)| value)
}

describing!(ToolBuilder);
set_tool!(ToolBuilder);

impl ToolBuilder {
    fn new(info: Info) -> Self {
        Self { info, settings: ToolSettings::NONE, input: None, output: None }
    }

    fn build(self, schemas: Schemas, handler: ActionHandler<ToolOutput>) -> Tool {
        Tool::new(Definition::from_builder(self.info, schemas, handler), self.settings)
    }

    /// Sets the page that clients with MCP Apps show with the tool's result: a resource built with
    /// [`app`](crate::action::ResourceBuilder::app).
    pub fn ui(mut self, page: &Resource) -> Self {
        self.set_ui("resourceUri", page.uri().into());
        self
    }

    /// Sets the visibility of the tool in clients with MCP Apps: `model`, `app` (the pages of this server), or both.
    /// Default is both. Clients without MCP Apps do not receive tools that are not visible to the model.
    pub fn visibility<'a>(mut self, to: impl IntoIterator<Item = &'a str>) -> Self {
        self.set_ui("visibility", to.into_iter().collect());
        self
    }

    fn set_ui(&mut self, key: &str, value: Value) {
        let ui = self.info.metadata.entry("ui").or_insert_with(|| serde_json::json!({}));
        if let Value::Object(ui) = ui {
            ui.insert(key.to_owned(), value);
        }
    }

    /// Sets the input type to `T`, for a tool without a handler, or if the handler takes another type.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::Tool;
    /// use serde_json::json;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Order { item: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let order = Tool::builder("order", "Orders something.").input::<Order>().interrupts();
    /// assert_eq!(order.input_schema()["required"][0], "item");
    /// // Invalid arguments cause an error response and do not interrupt the run.
    /// let wrong = order.call(&ToolRequest::new("order", json!({"thing": "tea"}))).await?;
    /// assert!(!wrong.is_interrupted());
    /// # Ok(())
    /// # }
    /// ```
    pub fn input<T: DeserializeOwned + JsonSchema>(mut self) -> Self {
        self.input = Some(InputSchema::Of { schema: input_schema::<T>, check: check::<T> });
        self
    }

    /// Sets the output type to `T`, for a tool without a handler, or if the handler returns another type.
    pub fn output<T: Serialize + JsonSchema>(mut self) -> Self {
        self.output =
            Some(OutputSchema::Of(|| Some(genkit_schema::internal::output_schema::<T>())));
        self
    }

    /// Sets a hand-written input schema for the arguments, which is served unchanged.
    ///
    /// Arguments are validated against it before the handler runs, with a limited number of steps. Arguments that are
    /// too large or too deeply nested for this limit are rejected. A schema that cannot be compiled causes an error at
    /// start-up. A pattern with look-around requires the feature `validation`.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input = Some(InputSchema::Written(schema));
        self
    }

    /// Sets a hand-written output schema for the result, which is served unchanged. A result that does not match it
    /// causes an internal error.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output = Some(OutputSchema::Written(schema));
        self
    }

    /// Builds a tool without a handler. Each call interrupts the run, and the caller of `generate` provides the result
    /// with `Interrupt::respond`.
    ///
    /// ```
    /// use genkit::Tool;
    /// use serde_json::json;
    ///
    /// let ask_user = Tool::builder("ask_user", "Asks the user a question.")
    ///     .input_schema(json!({"type": "object", "properties": {"question": {"type": "string"}}}))
    ///     .interrupts();
    /// assert_eq!(ask_user.name(), "ask_user");
    /// ```
    pub fn interrupts(mut self) -> Tool {
        self.settings.is_declared = true;
        self.handler(|context: Context, _: Value| async move {
            wait_for_response(&context).await?;
            Ok(Value::Null)
        })
    }

    /// Marks the tool as an agent.
    #[doc(hidden)]
    pub fn is_agent(mut self) -> Self {
        self.settings.is_agent = true;
        self
    }

    /// Builds a tool that forwards its calls to `function`. Results are not checked against the output schema.
    #[doc(hidden)]
    pub fn forwards<F>(mut self, function: F) -> Tool
    where
        F: Fn(Context, Value) -> BoxFuture<'static, Result<ToolOutput>> + Send + Sync + 'static,
    {
        let input = match self.input.take() {
            Some(InputSchema::Written(schema)) => schema,
            _ => Value::default(),
        };
        let output = match self.output.take() {
            Some(OutputSchema::Written(schema)) => Some(schema),
            _ => None,
        };
        let schemas = Schemas::foreign(input, output);
        self.build(schemas, forward_to(function))
    }

    /// Sets the handler, the closure that runs when the tool is called, and builds the tool. The
    /// closure can return any error with `?`, and must end with `Ok(..)`.
    ///
    /// To return the result of a function with another error type, convert the error with `?`:
    ///
    /// ```
    /// use genkit::{Context, Result, Tool};
    ///
    /// async fn search(text: String) -> Result<Vec<String>> {
    ///     Ok(vec![text])
    /// }
    ///
    /// let tool = Tool::builder("search", "Searches the notes.")
    ///     .handler(|_: Context, text: String| async move { Ok(search(text).await?) });
    /// # assert_eq!(tool.name(), "search");
    /// ```
    ///
    /// See [`HandlerError`](crate::action::HandlerError) for the reason. The closures of `middleware` and models can
    /// return a value or a `Result` with a custom error type, because their result type is fixed.
    pub fn handler<I, F, Fut>(mut self, function: F) -> Tool
    where
        I: HandlerInput,
        F: Fn(Context, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: HandlerResult<Value: IntoOutput + 'static>> + Send + 'static,
    {
        let (mut written, mut input_of, mut checked) =
            (None, input_schema::<I> as fn() -> Value, None);
        match self.input.take() {
            Some(InputSchema::Written(schema)) => written = Some(schema),
            Some(InputSchema::Of { schema, check }) => (input_of, checked) = (schema, Some(check)),
            None => {}
        }
        let (output, output_of): (_, fn() -> Option<Value>) = match self.output.take() {
            Some(OutputSchema::Written(schema)) => (Some(schema), ValueOf::<Fut>::schema),
            Some(OutputSchema::Of(schema)) => (None, schema),
            None => (None, ValueOf::<Fut>::schema),
        };
        let schemas = Schemas::from_written(written, input_of, output, output_of);
        let run = move |context, input| function(context, input).map(HandlerResult::into_result);
        let handler = from_closure(run, IntoOutput::into_output);
        let handler = match checked {
            Some(check) => handler.with_check(check),
            None => handler,
        };
        self.build(schemas, handler)
    }
}

/// The value that a handler returns.
type ValueOf<Fut> = <<Fut as Future>::Output as HandlerResult>::Value;

/// Interrupts each call until the caller provides a result with `respond`. This is the handler of a declared tool.
#[doc(hidden)]
pub fn wait_for_response(context: &Context) -> BoxFuture<'_, Result<ToolOutput>> {
    Box::pin(async move {
        loop {
            context.interrupt(Value::Null).await?;
        }
    })
}
