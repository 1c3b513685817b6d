//! Tools: functions that a model may call.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, LazyLock, RwLock};
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::args::Strictness;
use super::definition::{ToolDefinition, ToolFn};
use super::handler::{Calling, Handler, closure};
use super::info::{Info, Location, described, describing};
use super::lent::Requirement;
use super::output::{IntoOutput, ToolOutput};
use crate::context::Context;
use crate::error::Result;
use crate::schema::Schemas;
use crate::sync::{read, write};

/// What a tool says of its effects; hints for clients, not promises.
///
/// `None` means that nothing was said. MCP assumes the worst then: not read-only, destructive,
/// not idempotent, open world.
///
/// ```
/// use genkit::{Tool, tool};
///
/// /// Finds notes.
/// #[tool(read_only, open_world = false)]
/// async fn find(words: String) -> Vec<String> {
///     vec![words]
/// }
///
/// let hints = Tool::of::<find>().hints();
/// assert_eq!((hints.read_only, hints.open_world), (Some(true), Some(false)));
/// assert_eq!((hints.destructive, hints.idempotent), (None, None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hints {
    /// Changes nothing.
    pub read_only: Option<bool>,
    /// May destroy something.
    pub destructive: Option<bool>,
    /// Calling it twice is calling it once.
    pub idempotent: Option<bool>,
    /// Reaches out of this program: the web, another system.
    pub open_world: Option<bool>,
}

/// A tool: a name, a description, schemas and a function.
///
/// Made by `#[tool]`, or at run time by [`Tool::builder`]. Cheap to clone.
///
/// ```
/// use genkit::{Tool, tool};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let tool = Tool::of::<add>();
/// assert_eq!(tool.name(), "add");
/// assert_eq!(tool.description(), "Adds two numbers.");
/// ```
#[derive(Clone)]
pub struct Tool(Arc<Inner>);

struct Inner {
    info: Info,
    hints: Hints,
    needs_approval: bool,
    timeout: Option<Duration>,
    max_output: Option<usize>,
    schemas: Schemas,
    requirements: Vec<Requirement>,
    handler: Handler<ToolOutput>,
}

impl Tool {
    /// The tool behind an annotated function; always the same one.
    pub fn of<F: ToolFn>() -> Self {
        Self::made_once(F::DEFINITION)
    }

    /// Schemas and what was made of them are kept: a program calls `tools![..]` for each request.
    fn made_once(definition: &'static ToolDefinition) -> Self {
        static MADE: LazyLock<RwLock<HashMap<usize, Tool>>> = LazyLock::new(RwLock::default);
        let place = std::ptr::from_ref(definition).addr();
        let made = read(&MADE).get(&place).cloned();
        made.unwrap_or_else(|| {
            let mut all = write(&MADE);
            all.entry(place).or_insert_with(|| Self::from_definition(definition)).clone()
        })
    }

    pub(crate) fn from_definition(definition: &'static ToolDefinition) -> Self {
        let erased = definition.erased;
        Self(Arc::new(Inner {
            info: definition.described.info(),
            hints: Hints {
                read_only: definition.read_only,
                destructive: definition.destructive,
                idempotent: definition.idempotent,
                open_world: definition.open_world,
            },
            needs_approval: definition.needs_approval,
            timeout: definition.timeout_ms.map(Duration::from_millis),
            max_output: definition.max_output,
            schemas: Schemas::derived(erased.input, erased.output),
            requirements: (erased.requirements)(),
            handler: Handler::Static(erased.call),
        }))
    }

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
    pub(crate) fn remote(name: String, description: String) -> ToolBuilder {
        ToolBuilder::new(Info::remote(name, description))
    }

    /// What it says of its effects.
    pub fn hints(&self) -> Hints {
        self.0.hints
    }

    /// Whether the user is asked before each call.
    pub fn needs_approval(&self) -> bool {
        self.0.needs_approval
    }

    /// Its own time limit; `None` is the default of whoever calls.
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// Its own limit on the size of an answer, in bytes.
    pub fn max_output(&self) -> Option<usize> {
        self.0.max_output
    }

    /// The exact schema of its arguments.
    pub fn input_schema(&self) -> &Value {
        self.0.schemas.input()
    }

    /// The exact schema of its result, where the result is a value.
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.schemas.output()
    }

    pub(crate) fn info(&self) -> &Info {
        &self.0.info
    }

    pub(crate) fn schemas(&self) -> &Schemas {
        &self.0.schemas
    }

    pub(crate) fn requirements(&self) -> &[Requirement] {
        &self.0.requirements
    }

    /// What the user reads before approving a call.
    pub(crate) fn approval_message(&self, arguments: &Value) -> String {
        /// How much of the arguments is shown.
        const SHOWN: usize = 1000;
        // What another program calls itself is not what a person should judge by.
        let title = self.title().filter(|_| !self.info().is_remote());
        let name = title.unwrap_or(self.name());
        let mut shown = arguments.to_string();
        if shown.chars().count() > SHOWN {
            shown = shown.chars().take(SHOWN).chain("… (cut)".chars()).collect();
        }
        format!("Allow `{name}` to run with {shown}?")
    }

    /// Whether both are one and the same, not only of one name.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let annotated = |tool: &Self| matches!(tool.0.handler, Handler::Static(_));
        Arc::ptr_eq(&self.0, &other.0)
            || (annotated(self) && annotated(other) && self.location() == other.location())
    }

    /// Runs the function: schema check, typed read, call. No limits.
    pub(crate) fn invoke<'a>(
        &self,
        context: &'a Context,
        arguments: Value,
        how: Strictness,
    ) -> Calling<'a, ToolOutput> {
        if !self.0.schemas.are_written() {
            return self.0.handler.call(context, arguments, how);
        }
        let tool = self.clone();
        Box::pin(async move {
            let Inner { schemas, handler, .. } = &*tool.0;
            let arguments = schemas.check_input(arguments, how)?;
            let output = handler.call(context, arguments, how).await?;
            schemas.check_output(output.value.as_ref())?;
            Ok(output)
        })
    }
}

described!(Tool);

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tool").field(&self.name()).finish()
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
/// assert_eq!(order.hints().open_world, Some(true));
/// assert_eq!(order.timeout(), Some(Duration::from_secs(10)));
/// assert_eq!(order.max_output(), Some(65_536));
/// assert_eq!(order.output_schema().unwrap()["type"], "object");
/// ```
#[must_use = "a builder does nothing until `.handler(..)`"]
pub struct ToolBuilder {
    info: Info,
    hints: Hints,
    needs_approval: bool,
    timeout: Option<Duration>,
    max_output: Option<usize>,
    input: Option<Value>,
    output: Option<Value>,
}

describing!(ToolBuilder);

impl ToolBuilder {
    fn new(info: Info) -> Self {
        Self {
            info,
            hints: Hints::default(),
            needs_approval: false,
            timeout: None,
            max_output: None,
            input: None,
            output: None,
        }
    }

    fn build(self, schemas: Schemas, handler: Handler<ToolOutput>) -> Tool {
        Tool(Arc::new(Inner {
            info: self.info,
            hints: self.hints,
            needs_approval: self.needs_approval,
            timeout: self.timeout,
            max_output: self.max_output,
            schemas,
            requirements: Vec::new(),
            handler,
        }))
    }

    /// Says whether it changes nothing.
    pub fn read_only(mut self, yes: bool) -> Self {
        self.hints.read_only = Some(yes);
        self
    }

    /// Says whether it may destroy something.
    pub fn destructive(mut self, yes: bool) -> Self {
        self.hints.destructive = Some(yes);
        self
    }

    /// Says whether calling it twice is calling it once.
    pub fn idempotent(mut self, yes: bool) -> Self {
        self.hints.idempotent = Some(yes);
        self
    }

    /// Says whether it reaches out of this program.
    pub fn open_world(mut self, yes: bool) -> Self {
        self.hints.open_world = Some(yes);
        self
    }

    /// Whether the user is asked before each call. Default is no.
    pub fn needs_approval(mut self, yes: bool) -> Self {
        self.needs_approval = yes;
        self
    }

    /// Its own time limit. Default is that of whoever calls: 60 seconds for a server.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Its own limit on the size of an answer, in bytes of text. Default is that of whoever
    /// calls: 4 MiB for a server.
    pub fn max_output(mut self, bytes: usize) -> Self {
        self.max_output = Some(bytes);
        self
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

    /// Ends the making of a [`Tool::remote`]: `function` hands the call on. What the other program
    /// returns is its own affair, and is not checked against its schema here.
    pub(crate) fn forwards(
        mut self,
        function: impl Fn(Context, Value) -> Calling<'static, ToolOutput> + Send + Sync + 'static,
    ) -> Tool {
        let schemas = Schemas::foreign(self.input.take().unwrap_or_default(), self.output.take());
        let function = Arc::new(function);
        let handler = Handler::Dynamic(Arc::new(move |context: Context, arguments, _| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                context.approved_to_run().await?;
                function(context, arguments).await
            })
        }));
        self.build(schemas, handler)
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
