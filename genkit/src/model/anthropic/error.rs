//! The errors of Anthropic: its settings, messages that it cannot take, answers that make no sense.

use super::NAME;
use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{NAME}: there is no key: set ANTHROPIC_API_KEY and use `Anthropic::from_env()`, or give one \
         with `.api_key(..)`"
    )]
    NoKey,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoKey => ErrorKind::Unauthenticated,
        }
    }
}
