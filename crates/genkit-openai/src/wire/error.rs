//! The errors of both APIs: settings, and content that neither can take.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "{server}: there is no key: set {variable} in the environment (`{from_env}` reads it), or give one with \
         `.api_key(..)`"
    )]
    NoKey { server: &'static str, variable: &'static str, from_env: String },
    #[error("audio cannot be sent by its address: give its bytes, for example with `Part::audio`")]
    AudioByAddress,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoKey { .. } => ErrorKind::Unauthenticated,
            Self::AudioByAddress => ErrorKind::InvalidArgument,
        }
    }
}
