//! The errors of child processes, by kind; their texts are those of `genkit-child-process`.

use std::io;

use genkit_child_process::SpawnError;

use crate::error::{ErrorKind, Topic};

impl Topic for SpawnError {
    fn kind(&self) -> ErrorKind {
        match SpawnError::kind(self) {
            io::ErrorKind::InvalidInput => ErrorKind::InvalidArgument,
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
            io::ErrorKind::Unsupported => ErrorKind::FailedPrecondition,
            _ => ErrorKind::Unavailable,
        }
    }
}
