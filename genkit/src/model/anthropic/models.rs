//! What is known of the models, as data.

use crate::model::{ModelInfo, Supports};

/// What a model is taken to do.
pub(super) fn info(model: &str) -> ModelInfo {
    ModelInfo {
        label: Some(format!("Anthropic - {model}")),
        supports: Some(Supports::all()),
        ..ModelInfo::default()
    }
}
