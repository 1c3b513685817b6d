//! Tools and resources of a run: how a request names them, and how they are found.

mod resource_ref;
mod resources;
mod tool_ref;
mod toolbox;

pub use resource_ref::{IntoResources, ResourceRef, ResourceSource};
pub(crate) use resources::resolve_resources;
pub use tool_ref::{IntoTools, ToolRef, ToolSource};
pub(crate) use toolbox::Toolbox;
