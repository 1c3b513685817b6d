//! Tools, resources and documents of a run: how they are found.

mod resources;
mod retrievers;
mod toolbox;

pub(crate) use resources::resolve_resources;
pub use resources::resource_part;
pub(crate) use retrievers::find_documents;
pub(crate) use toolbox::Toolbox;
pub use toolbox::tool_definition;
