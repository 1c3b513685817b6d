//! Errors of cassettes.

use std::path::PathBuf;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the cassette {} has no matching response: {difference}", path.display())]
    NotRecorded { path: PathBuf, difference: String },
    #[error(
        "the cassette {} has no response left: this request was recorded {times} times, and all {times} \
         responses were replayed",
        path.display()
    )]
    ResponsesExhausted { path: PathBuf, times: usize },
    #[error(
        "the cassette {} has version {found}, but only version {known} is supported; record the cassette again",
        path.display()
    )]
    Version { path: PathBuf, found: u32, known: u32 },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotRecorded { .. } | Self::ResponsesExhausted { .. } => {
                ErrorKind::FailedPrecondition
            }
            Self::Version { .. } => ErrorKind::InvalidArgument,
        }
    }
}
