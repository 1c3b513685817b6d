//! The errors of the catalog.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "no model is named: add `.model(\"gemini/gemini-2.5-flash\")` to the request, give \
         `Genkit::builder().default_model(..)` one for all, or set GENKIT_MODEL"
    )]
    NoModelNamed,
    #[error("`{name}` needs the feature `{feature}` of genkit: turn it on in Cargo.toml")]
    FeatureOff { name: String, feature: &'static str },
    #[error(
        "{unknown} A model of your own is given as a value, `.default_model(..)`, or found by its name \
         after `Genkit::builder().model(..)`"
    )]
    UnknownModel { name: String, unknown: String },
    #[error(
        "{unknown} An embedder of your own is given as a value, or found by its name after \
         `Genkit::builder().embedder(..)`"
    )]
    UnknownEmbedder { name: String, unknown: String },
    #[error("`{0}` is a provider: name a model too, as `{0}/..`")]
    OnlyProvider(String),
    #[error("`.config(..)` takes an object, not {0}")]
    ConfigNoObject(serde_json::Value),
    #[error("the settings do not serialize: {0}")]
    ConfigUnserializable(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoModelNamed
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
