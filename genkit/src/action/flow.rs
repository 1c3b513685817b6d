//! Flows: named, traced units of work that a program runs by their types or by JSON.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::args::Strictness;
use super::definition::{FlowDefinition, FlowFn};
use super::handler::Handler;
use super::info::{Info, Location, described};
use super::lent::Requirement;
use super::output::ToolOutput;
use crate::context::Context;
use crate::error::Result;
use crate::schema::Schemas;

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
pub struct Flow(Arc<Inner>);

struct Inner {
    info: Info,
    schemas: Schemas,
    requirements: Vec<Requirement>,
    handler: Handler<ToolOutput>,
}

impl Flow {
    /// The flow behind an annotated function.
    pub fn of<F: FlowFn>() -> Self {
        Self::from_definition(F::DEFINITION)
    }

    pub(crate) fn from_definition(definition: &'static FlowDefinition) -> Self {
        let erased = definition.erased;
        Self(Arc::new(Inner {
            info: definition.described.info(),
            schemas: Schemas::derived(erased.input, erased.output),
            requirements: (erased.requirements)(),
            handler: Handler::Static(erased.call),
        }))
    }

    /// The exact schema of its input.
    pub fn input_schema(&self) -> &Value {
        self.0.schemas.input()
    }

    /// The exact schema of its result, where the result is a value.
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.schemas.output()
    }

    /// The exact schema of its chunks, if it streams.
    pub fn chunk_schema(&self) -> Option<&Value> {
        self.0.requirements.iter().find_map(|requirement| match requirement {
            Requirement::Chunks(schema) => Some(schema),
            _ => None,
        })
    }

    pub(crate) fn info(&self) -> &Info {
        &self.0.info
    }

    pub(crate) fn requirements(&self) -> &[Requirement] {
        &self.0.requirements
    }

    /// Runs the function in a span of its own. Flows have no time limit but the caller's.
    pub(crate) async fn invoke(&self, context: &Context, input: Value) -> Result<Value> {
        let call = self.0.handler.call(context, input, Strictness::Exact);
        Ok(crate::context::supervise(context, self.name(), call).await?.into_value())
    }
}

described!(Flow);

impl std::fmt::Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Flow").field(&self.name()).finish()
    }
}
