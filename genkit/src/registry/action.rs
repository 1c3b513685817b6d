//! An action of any kind, as a registry takes it.

use crate::action::{Flow, Prompt, Resource, Tool};

/// One action of any kind.
///
/// ```
/// use genkit::{Action, Registry, flow, flows, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// /// Greets somebody.
/// #[flow]
/// async fn greet(name: String) -> String { format!("Hello, {name}!") }
///
/// let mut actions: Vec<Action> = tools![add].into_iter().map(Action::from).collect();
/// actions.extend(flows![greet].into_iter().map(Action::from));
/// let registry = Registry::new().add(actions);
/// assert!(registry.tool("add").is_some() && registry.flow("greet").is_some());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Action {
    /// A tool.
    Tool(Tool),
    /// A prompt.
    Prompt(Prompt),
    /// A resource or a resource template.
    Resource(Resource),
    /// A flow.
    Flow(Flow),
}

macro_rules! kinds {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Action {
            fn from(action: $kind) -> Self {
                Self::$kind(action)
            }
        }
    )*};
}

kinds!(Tool, Prompt, Resource, Flow);

impl Action {
    /// ``tool `add` (src/main.rs:7)``, for messages.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Tool(tool) => tool.info().label("tool"),
            Self::Prompt(prompt) => prompt.info().label("prompt"),
            Self::Resource(resource) => resource.info().label("resource"),
            Self::Flow(flow) => flow.info().label("flow"),
        }
    }
}
