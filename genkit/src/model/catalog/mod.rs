//! The catalog: from a model's name to the model.

mod built_in;
mod error;
mod model_ref;
mod models;

pub use model_ref::{IntoModel, ModelRef};
pub(crate) use models::Models;
