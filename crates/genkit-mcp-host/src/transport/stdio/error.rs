//! The kinds of child process errors. Their messages come from `genkit-child-process`.

use std::io;

use genkit_child_process::SpawnError;
use genkit_core::{Error, ErrorKind};

pub(super) fn from_spawn_error(error: SpawnError) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::InvalidInput => ErrorKind::InvalidArgument,
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        io::ErrorKind::Unsupported => ErrorKind::FailedPrecondition,
        _ => ErrorKind::Unavailable,
    };
    Error::with_kind(kind, error)
}
