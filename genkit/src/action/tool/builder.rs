//! Tools made at run time: a closure instead of an annotated function.

use std::borrow::Cow;
use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Tool;
use super::output::{IntoOutput, ToolOutput};
use super::settings::{ToolSettings, set_tool};
use crate::action::call::{ActionHandler, closure, forward};
use crate::action::definition::Definition;
use crate::action::info::{Info, describing};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::schema::Schemas;

impl Tool {
    /// Begins a tool that is made at run time.
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
        ToolBuilder::new(Info::dynamic(name.into(), description.into()))
    }

    /// Begins a tool that another program has.
    #[cfg_attr(
        not(feature = "mcp-host"),
        allow(dead_code, reason = "only hosts make remote actions")
    )]
    pub(crate) fn remote(name: String, description: String) -> ToolBuilder {
        ToolBuilder::new(Info::remote(name, description))
    }
}

/// A tool in the making: see [`Tool::builder`].
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
///     // Instead of the schemas of `Order` and of what the closure returns:
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
    input: Option<Value>,
    output: Option<Value>,
}

describing!(ToolBuilder);
set_tool!(ToolBuilder);

impl ToolBuilder {
    fn new(info: Info) -> Self {
        Self { info, settings: ToolSettings::NONE, input: None, output: None }
    }

    fn build(self, schemas: Schemas, handler: ActionHandler<ToolOutput>) -> Tool {
        Tool::new(Definition::dynamic(self.info, schemas, handler), self.settings)
    }

    /// A schema for the arguments, written by hand: served as it is.
    ///
    /// With the feature `validation` arguments are checked against it before the handler runs;
    /// without, that is the handler's own job.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input = Some(schema);
        self
    }

    /// A schema for the result, written by hand: served as it is.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output = Some(schema);
        self
    }

    /// Ends the making without a function: each call of the tool interrupts the run, and whoever
    /// called [`generate`](crate::generate()) answers it with
    /// [`Interrupt::respond`](crate::Interrupt::respond).
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
    pub fn interrupts(self) -> Tool {
        self.handler(|context: Context, _: Value| interrupt(context))
    }

    /// Ends the making of a [`Tool::remote`]: `function` forwards the call. What the other program
    /// returns is its own affair, and is not checked against its schema here.
    #[cfg_attr(
        not(feature = "mcp-host"),
        allow(dead_code, reason = "only hosts make remote actions")
    )]
    pub(crate) fn forwards<F>(mut self, function: F) -> Tool
    where
        F: Fn(Context, Value) -> BoxFuture<'static, Result<ToolOutput>> + Send + Sync + 'static,
    {
        let schemas = Schemas::foreign(self.input.take().unwrap_or_default(), self.output.take());
        self.build(schemas, forward(function))
    }

    /// Ends the making: the closure that runs when the tool is called.
    pub fn handler<I, T, F, Fut>(mut self, function: F) -> Tool
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        T: IntoOutput + 'static,
        F: Fn(Context, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        let (input, output) = (self.input.take(), self.output.take());
        let schemas = Schemas::given(input, crate::schema::input_of::<I>, output, T::schema);
        self.build(schemas, closure(function, T::into_output))
    }
}

/// Only an answer given in its place settles a tool without a function.
async fn interrupt(context: Context) -> Result<Value> {
    loop {
        context.interrupt(Value::Null).await?;
    }
}
