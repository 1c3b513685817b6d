//! The errors of the catalog.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "no model is specified; add `.model(\"gemini/gemini-2.5-flash\")` to the request, set a \
         default with `Genkit::builder().default_model(..)`, or set the environment \
         variable GENKIT_MODEL"
    )]
    MissingModelName,
    #[error("`{name}` requires genkit's `{feature}` feature; enable it in Cargo.toml")]
    FeatureOff { name: String, feature: &'static str },
    #[error(
        "{unknown} To use a custom model, pass it as a value to `.default_model(..)`, or register it with \
         `Genkit::builder().model(..)` to refer to it by name"
    )]
    UnknownModel { name: String, unknown: String },
    #[error(
        "{unknown} To use a custom embedder, pass it as a value, or register it with \
         `Genkit::builder().embedder(..)` to refer to it by name"
    )]
    UnknownEmbedder { name: String, unknown: String },
    #[error("`{0}` is a provider, not a model; write a model name such as `{0}/..`")]
    OnlyProvider(String),
    #[error("`.config(..)` must be an object, not `{0}`")]
    ConfigNoObject(serde_json::Value),
    #[error("cannot serialize the settings: {0}")]
    ConfigUnserializable(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::MissingModelName
            | Self::OnlyProvider(_)
            | Self::ConfigNoObject(_)
            | Self::ConfigUnserializable(_) => ErrorKind::InvalidArgument,
            Self::FeatureOff { .. } => ErrorKind::FailedPrecondition,
            Self::UnknownModel { .. } | Self::UnknownEmbedder { .. } => ErrorKind::NotFound,
        }
    }

    fn details(&self) -> Option<serde_json::Value> {
        match self {
            Self::UnknownModel { name, .. } | Self::UnknownEmbedder { name, .. } => {
                Some(name.as_str().into())
            }
            _ => None,
        }
    }
}
