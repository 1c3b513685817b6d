//! The model request of a run: history, documents, structured output, and the capabilities of the model.

mod capabilities;
mod history;
mod other_model;
mod output;

pub(crate) use capabilities::check_capabilities;
pub use history::close_calls;
pub(crate) use history::{drop_pending, merge_conversation, place_documents};
pub(crate) use other_model::adapt_request;
pub(crate) use output::{remove_injected_instructions, shape_output};
