//! The errors of cassettes.

use std::path::PathBuf;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the cassette {} has no answer: {difference}", path.display())]
    NotRecorded { path: PathBuf, difference: String },
    #[error(
        "the cassette {} has no answer: this request was recorded {times} times, and all {times} \
         answers were given",
        path.display()
    )]
    UsedUp { path: PathBuf, times: usize },
    #[error(
        "{} is a cassette of version {found}, and version {known} can be read: record it again",
        path.display()
    )]
    Version { path: PathBuf, found: u32, known: u32 },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotRecorded { .. } | Self::UsedUp { .. } => ErrorKind::FailedPrecondition,
            Self::Version { .. } => ErrorKind::InvalidArgument,
        }
    }
}
