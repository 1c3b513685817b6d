//! Actions of kinds that other crates define, such as retrievers. Each is based on a flow.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use super::flow::StaticFlow;
use super::{Flow, Invocation};

/// An action of a kind that another crate defines. Genkit's developer tools list and run it.
#[allow(missing_docs, reason = "for sibling crates and hidden")]
pub trait CustomAction: Any + Send + Sync {
    /// Returns the kind, such as `retriever`.
    fn kind(&self) -> &'static str;

    /// Returns the flow that the action is based on.
    fn flow(&self) -> &Flow;

    /// Returns this action with `flow` in place of its flow, for registration under another name.
    fn with_flow(&self, flow: Flow) -> Arc<dyn CustomAction>;

    /// Returns the data that the developer tools show: `inputSchema`, `outputSchema` and `metadata`.
    fn to_listing(&self) -> Value;

    /// Runs the action with a request from the developer tools.
    fn run(&self, request: Value) -> Invocation<Value>;
}

impl std::fmt::Debug for dyn CustomAction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple(self.kind()).field(&self.flow().name()).finish()
    }
}

/// A function annotated with `#[retriever]`.
///
/// The macro implements this trait for a type with the function's name. Do not implement it manually.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[retriever]` function",
    label = "no `#[retriever]` here",
    note = "write `#[retriever]` above the function"
)]
pub trait RetrieverFn: 'static {
    #[doc(hidden)]
    const DEFINITION: &'static StaticFlow;
}
