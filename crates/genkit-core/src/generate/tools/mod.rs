//! Tools and resources of a run, as a request names them.

mod resource_ref;
mod tool_ref;

pub use resource_ref::{IntoResources, ResourceRef, ResourceSource};
pub use tool_ref::{IntoTools, ToolRef, ToolSource};
