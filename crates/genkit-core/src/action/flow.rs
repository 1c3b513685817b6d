//! Flows: named, traced units of work that a program runs by their types or by JSON.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::call::{Field, Function, PlainCall, Requirement};
use super::definition::{Definition, StaticDefinition, defined};
use super::info::StaticInfo;
use super::invocation::{self, Invocation};
use super::tool::ToolOutput;
use crate::error::Result;
use crate::trace::{self, NewSpan, SpanKind};
use genkit_schema::internal::strictness::Strictness;

/// A function annotated with `#[flow]`.
///
/// The macro implements it for the type that has the function's name; nothing else should.
///
/// ```
/// use genkit::action::FlowFn;
/// use genkit::{Flow, flow};
///
/// /// Greets somebody.
/// #[flow]
/// async fn greet(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// fn describe<F: FlowFn>() -> String {
///     Flow::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<greet>(), "Greets somebody.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[flow]` function",
    label = "no `#[flow]` here",
    note = "write `#[flow]` above the function",
    note = "`flows![..]` lists one kind: a list of several is `actions![..]`"
)]
pub trait FlowFn: 'static {
    #[doc(hidden)]
    const DEFINITION: &'static StaticFlow;
}

/// The static definition behind `#[flow]`.
pub struct StaticFlow(StaticDefinition<ToolOutput>);

#[allow(missing_docs, reason = "for expansions and hidden")]
impl StaticFlow {
    /// Of a function that takes `fields`, and nothing by reference.
    pub const fn new(
        info: StaticInfo,
        fields: &'static [Field],
        call: PlainCall<ToolOutput>,
        gives: fn() -> Option<Value>,
    ) -> Self {
        Self::with(info, Function::plain(fields, call).gives(gives))
    }

    /// Of any function.
    pub const fn with(info: StaticInfo, function: Function<ToolOutput>) -> Self {
        Self(StaticDefinition::new("flow", info, function))
    }
}

/// A flow: a function that is run by name, with JSON in and JSON out.
///
/// ```
/// use genkit::{Flow, Genkit, Registry, flow, flows};
/// use serde_json::json;
///
/// /// Greets somebody.
/// #[flow]
/// async fn greet(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let flow = Flow::of::<greet>();
/// assert_eq!((flow.name(), flow.description()), ("greet", "Greets somebody."));
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
    /// The flow behind an annotated function.
    pub fn of<F: FlowFn>() -> Self {
        Self::from_static(F::DEFINITION)
    }

    pub(crate) fn from_static(flow: &'static StaticFlow) -> Self {
        Self(Arc::new(Definition::annotated(&flow.0, false)))
    }

    /// The same flow under another name.
    pub(crate) fn renamed(&self, name: String) -> Self {
        Self(Arc::new(self.0.renamed(name)))
    }

    fn definition(&self) -> &Definition<ToolOutput> {
        &self.0
    }

    /// Input schema, as exact as the types are.
    pub fn input_schema(&self) -> &Value {
        self.schemas().input()
    }

    /// Output schema, as exact as the type is, where the result is a value.
    pub fn output_schema(&self) -> Option<&Value> {
        self.schemas().output()
    }

    /// Chunk schema, as exact as the type is, if it streams.
    pub fn chunk_schema(&self) -> Option<&Value> {
        self.requirements().iter().find_map(|requirement| match requirement {
            Requirement::Chunks(schema) => Some(schema),
            _ => None,
        })
    }

    /// Runs the flow with `input`, an object or a struct that serializes to one, in a trace span of
    /// its own. Flows have no time limit but the caller's.
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
    /// As [`Invocation`].
    pub fn run(&self, input: impl Serialize) -> Invocation<Value> {
        self.run_json(invocation::arguments(input))
    }

    /// The same with JSON that is read already, or why there is none.
    pub fn run_json(&self, input: Result<Value>) -> Invocation<Value> {
        let flow = self.clone();
        Invocation::new(self.name(), async move |context| {
            let input = input?;
            let shown = if trace::is_on() { input.clone() } else { Value::Null };
            let shown = || shown.clone();
            let span = NewSpan { name: flow.name(), kind: SpanKind::Action("flow"), input: &shown };
            let call = async {
                let call = flow.0.call(&context, input, Strictness::Exact);
                Ok(call.await?.into_value())
            };
            trace::traced(span, call, Value::clone).await
        })
    }
}

defined!(Flow, name);
