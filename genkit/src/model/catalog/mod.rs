//! The catalog: from a model's name to the model, and from an embedder's to the embedder.

mod built_in;
mod embed;
mod error;
mod model_ref;
mod models;

pub use embed::{Embed, EmbedderRef};
pub use model_ref::{IntoModel, ModelRef};
pub(crate) use models::Models;
