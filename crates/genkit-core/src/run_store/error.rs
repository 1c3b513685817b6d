//! The error of an id.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "the id of a run is 1 to {most} of `A-Z a-z 0-9 - _ .`, and does not begin with `-` or `.`"
    )]
    RunId { most: usize },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}
