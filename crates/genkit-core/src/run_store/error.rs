//! The error of an invalid run id.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "invalid run id; use 1 to {most} characters of `A-Z a-z 0-9 - _ .`, without a leading `-` or `.`"
    )]
    RunId { most: usize },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}
