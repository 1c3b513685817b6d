//! Errors of both APIs: invalid settings, and content that neither API supports.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "{server}: no API key is set; set the environment variable {variable} (`{from_env}` reads it), or call \
         `.api_key(..)`"
    )]
    MissingApiKey { server: &'static str, variable: &'static str, from_env: String },
    #[error(
        "audio cannot be sent by URL; send the bytes of the audio, for example with `Part::audio`"
    )]
    AudioUrl,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::MissingApiKey { .. } => ErrorKind::Unauthenticated,
            Self::AudioUrl => ErrorKind::InvalidArgument,
        }
    }
}
