//! The errors of run ids and of stores without lists.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "invalid run id; use 1 to {most} characters of `A-Z a-z 0-9 - _ .`, without a leading `-` or `.`"
    )]
    RunId { most: usize },
    #[error(
        "this run store cannot list runs; use the folder, SQLite or Postgres store, or implement `RunStore::list`"
    )]
    ListUnsupported,
    #[error("the head and each log line of a run must not contain line breaks")]
    LineBreak,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::RunId { .. } | Self::LineBreak => ErrorKind::InvalidArgument,
            Self::ListUnsupported => ErrorKind::FailedPrecondition,
        }
    }
}
