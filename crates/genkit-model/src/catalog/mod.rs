//! The catalog, which looks up models and embedders by name.

mod built_in;
mod embed;
mod embedder_ref;
mod error;
mod model_ref;
mod models;

pub use embed::{Embed, embed_in_span, embedding_list};
pub use embedder_ref::EmbedderRef;
pub use model_ref::{IntoModel, ModelRef};
pub use models::Models;
