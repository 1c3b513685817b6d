//! Tools and resources of a run: how they are found.

mod resources;
mod toolbox;

pub use resources::part as resource_part;
pub(crate) use resources::resolve_resources;
pub(crate) use toolbox::Toolbox;
pub use toolbox::definition as tool_definition;
