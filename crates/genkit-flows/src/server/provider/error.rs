//! Errors of context providers.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("Unauthenticated")]
    Unauthenticated,
    #[error("Permission Denied")]
    PermissionDenied,
    #[error("the request has several `Authorization` headers; send one")]
    SeveralCredentials,
    #[error("a context provider must return a JSON object, but returned {0}")]
    NotObject(&'static str),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unauthenticated => ErrorKind::Unauthenticated,
            Self::PermissionDenied => ErrorKind::PermissionDenied,
            Self::SeveralCredentials => ErrorKind::InvalidArgument,
            Self::NotObject(_) => ErrorKind::Internal,
        }
    }
}
