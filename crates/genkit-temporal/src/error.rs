//! The errors of this crate.

use genkit::ErrorKind;
use temporalio_client::errors::{
    WorkflowInteractionError, WorkflowQueryError, WorkflowUpdateError,
};
use temporalio_client::tonic::{Code, Status};

use crate::limits::{MAX_PACKED, REQUEST_TIMEOUT};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{0}..` is not a valid Temporal URL; expected `http://..` or `https://..`")]
    Url(String),
    #[error(
        "Temporal does not respond at {url}: {why}. Check that the server is running; `temporal server start-dev` starts \
         one at http://127.0.0.1:7233"
    )]
    Unreachable { url: String, why: String },
    #[error("Temporal responded with {code:?}: {message}")]
    Refused { code: Code, message: String },
    #[error("failed to read a message from Temporal: {0}")]
    Unreadable(String),
    #[error(
        "{what} has {packed} bytes after compression ({bytes} before), but a message on Temporal is limited to {MAX_PACKED} \
         bytes; store large data elsewhere and pass its id or URL"
    )]
    TooLarge { what: &'static str, bytes: usize, packed: usize },
    #[error(
        "no worker responded within {} s; check that a `TemporalWorker` polls the task queue `{queue}`",
        REQUEST_TIMEOUT.as_secs()
    )]
    NoWorker { queue: String },
    #[error("the workflow `{id}` is a `{found}`, not a durable run; use a different id")]
    OtherWorkflow { id: String, found: String },
    #[error("the run `{run}` has ended in Temporal: {why}")]
    Ended { run: String, why: String, kind: ErrorKind },
    #[error(
        "the worker of the step `{name}` was lost {lives} times; check whether its tool or flow ends the process"
    )]
    Poisonous { name: String, lives: u32 },
    #[error("failed to start the worker: {0}")]
    Worker(String),
}

impl Error {
    pub(crate) fn from_status(status: &Status) -> Self {
        Self::Refused { code: status.code(), message: status.message().to_owned() }
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::Url(_) => ErrorKind::InvalidArgument,
            Self::Unreachable { .. } | Self::NoWorker { .. } => ErrorKind::Unavailable,
            Self::Refused { code, .. } => match code {
                Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => {
                    ErrorKind::Unavailable
                }
                Code::InvalidArgument => ErrorKind::InvalidArgument,
                Code::PermissionDenied | Code::Unauthenticated => ErrorKind::PermissionDenied,
                Code::ResourceExhausted => ErrorKind::ResourceExhausted,
                Code::NotFound | Code::FailedPrecondition => ErrorKind::FailedPrecondition,
                _ => ErrorKind::Internal,
            },
            Self::Unreadable(_) => ErrorKind::Internal,
            Self::TooLarge { .. } => ErrorKind::ResourceExhausted,
            Self::OtherWorkflow { .. } | Self::Worker(_) => ErrorKind::FailedPrecondition,
            Self::Ended { kind, .. } => *kind,
            Self::Poisonous { .. } => ErrorKind::Internal,
        }
    }
}

impl From<Error> for genkit::Error {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

/// Converts an error of a call. Returns `None` if the workflow does not exist or is closed.
macro_rules! call_errors {
    ($($name:ident: $error:ident),*) => {$(
        pub(crate) fn $name(error: $error) -> Option<Error> {
            match error {
                $error::NotFound(_) => None,
                $error::Rpc(status) => Some(Error::from_status(&status)),
                other => Some(Error::Unreadable(other.to_string())),
            }
        }
    )*};
}

call_errors!(of_call: WorkflowInteractionError, of_query: WorkflowQueryError, of_update: WorkflowUpdateError);
