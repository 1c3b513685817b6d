//! Tools and resources of a run: how a request names them, and how they are found.

mod resource_ref;
mod resources;
mod tool_ref;
mod toolbox;

pub use resource_ref::{IntoResources, ResourceRef, ResourceSource};
#[cfg(feature = "dev-tools")]
pub(crate) use resources::part as resource_part;
pub(crate) use resources::resolve_resources;
pub use tool_ref::{IntoTools, ToolRef, ToolSource};
pub(crate) use toolbox::Toolbox;
#[cfg(any(feature = "dev-tools", feature = "durable"))]
pub(crate) use toolbox::definition as tool_definition;
