//! Flows: named, traced functions that a program runs with Rust values or with JSON.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::call::{Field, Function, PlainCall, Requirement, forward_to};
use super::definition::{Definition, StaticDefinition, defined};
use super::info::{Info, StaticInfo};
use super::invocation::{self, Invocation};
use super::tool::{IntoOutput as _, ToolOutput};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::trace::{self, NewSpan, SpanKind};
use genkit_schema::internal::Schemas;
use genkit_schema::internal::strictness::Strictness;

/// A function annotated with `#[flow]`.
///
/// The macro implements this trait for a type with the function's name. Do not implement it manually.
///
/// ```
/// use genkit::action::FlowFn;
/// use genkit::{Flow, flow};
///
/// /// Greets a person.
/// #[flow]
/// async fn greet(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// fn describe<F: FlowFn>() -> String {
///     Flow::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<greet>(), "Greets a person.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[flow]` function",
    label = "no `#[flow]` here",
    note = "write `#[flow]` above the function",
    note = "`flows![..]` accepts only flows; to mix flows, tools and prompts, use `actions![..]`"
)]
pub trait FlowFn: 'static {
    #[doc(hidden)]
    const DEFINITION: &'static StaticFlow;
}

/// The static definition behind `#[flow]`.
pub struct StaticFlow(StaticDefinition<ToolOutput>);

#[allow(missing_docs, reason = "for expansions and hidden")]
impl StaticFlow {
    /// Creates the definition of a function that takes `fields` by value and nothing by reference.
    pub const fn new(
        info: StaticInfo,
        fields: &'static [Field],
        call: PlainCall<ToolOutput>,
        gives: fn() -> Option<Value>,
    ) -> Self {
        Self::with(info, Function::without_injection(fields, call).with_output_schema(gives))
    }

    /// Creates the definition of any function.
    pub const fn with(info: StaticInfo, function: Function<ToolOutput>) -> Self {
        Self(StaticDefinition::new("flow", info, function))
    }
}

/// A flow: a function that is run by name, with JSON input and output.
///
/// ```
/// use genkit::{Flow, Genkit, Registry, flow, flows};
/// use serde_json::json;
///
/// /// Greets a person.
/// #[flow]
/// async fn greet(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let flow = Flow::of::<greet>();
/// assert_eq!((flow.name(), flow.description()), ("greet", "Greets a person."));
/// assert_eq!(flow.input_schema()["required"][0], "name");
/// assert_eq!(flow.output_schema().unwrap()["type"], "string");
/// assert!(flow.chunk_schema().is_none()); // it takes no `&Chunks<_>`
///
/// let genkit = Genkit::builder().registry(Registry::new().add(flows![greet])).build()?;
/// assert_eq!(genkit.run_flow("greet", json!({"name": "Ada"})).await?, "Hello, Ada!");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Flow(Arc<Definition<ToolOutput>>);

impl Flow {
    /// Returns the flow that `#[flow]` defined for the function `F`.
    pub fn of<F: FlowFn>() -> Self {
        Self::from_static(F::DEFINITION)
    }

    #[doc(hidden)]
    pub fn from_static(flow: &'static StaticFlow) -> Self {
        Self(Arc::new(Definition::from_annotation(&flow.0, false)))
    }

    /// Returns this flow under another name.
    #[doc(hidden)]
    pub fn with_name(&self, name: String) -> Self {
        Self(Arc::new(self.0.with_name(name)))
    }

    /// Creates a flow from a closure that takes and returns any JSON value.
    #[doc(hidden)]
    #[track_caller]
    pub fn from_fn<F>(name: String, description: String, function: F) -> Self
    where
        F: Fn(Context, Value) -> BoxFuture<'static, Result<Value>> + Send + Sync + 'static,
    {
        let info = Info::from_builder(name.into(), description.into());
        let handler = forward_to(move |context, input| {
            let running = function(context, input);
            Box::pin(async move { running.await?.into_output() })
        });
        let schemas = Schemas::foreign(serde_json::json!({ "type": "object" }), None);
        Self(Arc::new(Definition::from_builder(info, schemas, handler)))
    }

    /// Calls the function in `context`, without a span.
    #[doc(hidden)]
    pub async fn call(&self, context: &Context, input: Value) -> Result<Value> {
        Ok(self.0.call(context, input, Strictness::Exact).await?.into_value())
    }

    fn definition(&self) -> &Definition<ToolOutput> {
        &self.0
    }

    /// Returns the exact input schema, derived from the types.
    pub fn input_schema(&self) -> &Value {
        self.schemas().input()
    }

    /// Returns the exact output schema, derived from the type, if the flow returns a value.
    pub fn output_schema(&self) -> Option<&Value> {
        self.schemas().output()
    }

    /// Returns the exact chunk schema, derived from the type, if the flow streams.
    pub fn chunk_schema(&self) -> Option<&Value> {
        self.requirements().iter().find_map(|requirement| match requirement {
            Requirement::Chunks(schema) => Some(schema),
            _ => None,
        })
    }

    /// Runs the flow with `input`, an object or a struct that serializes to one, in its own trace span. A flow has no
    /// time limit except the limit of its caller.
    ///
    /// ```
    /// use genkit::{Flow, flow};
    /// use serde_json::json;
    ///
    /// /// Doubles a number.
    /// #[flow]
    /// async fn double(n: i64) -> i64 { n * 2 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// assert_eq!(Flow::of::<double>().run(json!({"n": 21})).await?, 42);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`Invocation`].
    pub fn run(&self, input: impl Serialize) -> Invocation<Value> {
        self.run_json(invocation::to_arguments(input))
    }

    /// Runs the flow with JSON input. If `input` is an error, the invocation returns that error.
    #[doc(hidden)]
    pub fn run_json(&self, input: Result<Value>) -> Invocation<Value> {
        let (flow, hash) = (self.clone(), invocation::durable_input_hash(&input));
        let run = Invocation::new(self.name(), async move |context| {
            let input = input?;
            let shown = if trace::is_on() { input.clone() } else { Value::Null };
            let shown = || shown.clone();
            let span = NewSpan { name: flow.name(), kind: SpanKind::Action("flow"), input: &shown };
            let call = async {
                let call = flow.0.call(&context, input, Strictness::Exact);
                Ok(call.await?.into_value())
            };
            trace::trace_work(span, call, Value::clone).await
        });
        run.with_input_hash(hash)
    }
}

defined!(Flow, name);
