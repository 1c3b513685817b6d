//! The errors of durable runs.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "durable runs need a store; set one with `Genkit::builder().durable(FolderStore::open(\"runs\")?)`, or use a \
         store of another crate"
    )]
    MissingStore,
    #[error("there is no run `{0}`")]
    RunNotFound(String),
    #[error("the run `{id}` is {is}, not {wanted}")]
    OtherKind { id: String, is: &'static str, wanted: &'static str },
    #[error("the run `{id}` is a run of the flow `{is}`, not of `{wanted}`; use a different id")]
    OtherFlow { id: String, is: String, wanted: String },
    #[error(
        "a durable run cannot contain code without a name, because other processes look it up by name: {}. \
         Register these with `Genkit::builder()`", .0.join("; ")
    )]
    NotByName(Vec<String>),
    #[error("failed to read the stored run `{id}`: {why}")]
    Unreadable { id: String, why: String },
    #[error("failed to serialize the run `{id}`: {why}")]
    Unserializable { id: String, why: String },
    #[error("the run `{0}` was changed by another worker, an answer or a cancellation")]
    Lost(String),
    #[error(
        "failed to save the run `{id}` after {tries} attempts; a worker continues it from its last saved state once the \
         store can be written"
    )]
    SaveFailed { id: String, tries: u32 },
    #[error("the run store did not respond within {0:?}")]
    StoreTimeout(std::time::Duration),
    #[error(
        "{lives} processes ended during {step} of the run `{id}`; find the cause in their logs, then continue the run with \
         `.retry()`"
    )]
    Poisoned { id: String, lives: u32, step: String },
    #[error(
        "the run `{0}` cannot be continued, because an older version of the program stored its failure, \
         or because messages were saved after the failed step"
    )]
    CannotRetry(String),
    #[error(
        "the run has too many unread signals (the limits are {signals} signals and {bytes} bytes); receive them with \
         `ctx.wait_for_signal(..)`"
    )]
    MailFull { signals: usize, bytes: usize },
    #[error("cannot send a signal to the run `{id}`, because it is {status}")]
    CannotSignal { id: String, status: &'static str },
    #[error("the value of the signal `{name}` does not match the type that the run expects: {why}")]
    SignalType { name: String, why: String },
    #[error("the published value of the run `{id}` does not match the requested type: {why}")]
    PublishedType { id: String, why: String },
    #[error(
        "the methods of `DurableContext` need a durable run in a `RunStore`; start the function with `genkit.durable_run(..)` or `genkit.durable_flow(..)`"
    )]
    NotInRun,
    #[error("`{text}` is not a valid schedule: {why}")]
    Cron { text: String, why: String },
    #[error(
        "`{name}` is not a known time zone; write an IANA name such as `Europe/Berlin`, and check that the system has a \
         time zone database: {why}"
    )]
    TimeZone { name: String, why: String },
    #[error("a tag must not be empty or contain a line break")]
    Tag,
    #[error("the run `{0}` was deleted, and its id was reused for a new run")]
    Replaced(String),
    #[error("the run `{id}` is {status} and has no open questions")]
    AsksNothing { id: String, status: &'static str },
    #[error("the call `{call}` of the run `{id}` has no open question{open}")]
    UnknownCall { id: String, call: String, open: String },
    #[error(
        "the call `{0}` has several open questions; answer each of them with `.answer_with(..)`"
    )]
    SeveralQuestions(String),
    #[error(
        "the answer to an approval must be true or false; use `.answer_with(..)` to give a reason or \
         to change the arguments"
    )]
    NotABoolean,
    #[error("failed to serialize the value: {0}")]
    ValueUnserializable(String),
    #[error("the run `{0}` was cancelled")]
    Cancelled(String),
    #[error("the flow `{0}` is not in the registry; link the crate that defines it, or add it")]
    UnknownFlow(String),
    #[error(
        "the step does not match the current state of the run; the engine may have confused two steps"
    )]
    UnexpectedStep,
    #[error(
        "the limit of tasks in memory is reached; wait until other tasks have expired, or set a store with \
         `Genkit::builder().durable(..)`"
    )]
    MemoryFull,
    #[error("cannot open the run folder `{folder}`")]
    CannotOpen { folder: String, source: std::io::Error },
    #[error("failed to {what} `{folder}`")]
    Folder { folder: String, what: &'static str, source: std::io::Error },
    #[error(
        "the run file `{0}` is incomplete or was not written by this store; restore it from a backup, or move it out of the folder"
    )]
    TornFile(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotByName(_)
            | Self::UnknownCall { .. }
            | Self::SeveralQuestions(_)
            | Self::NotABoolean
            | Self::ValueUnserializable(_)
            | Self::SignalType { .. }
            | Self::Cron { .. }
            | Self::TimeZone { .. }
            | Self::PublishedType { .. }
            | Self::Tag => ErrorKind::InvalidArgument,
            Self::MissingStore
            | Self::CannotRetry(_)
            | Self::CannotSignal { .. }
            | Self::NotInRun
            | Self::OtherKind { .. }
            | Self::OtherFlow { .. }
            | Self::AsksNothing { .. } => ErrorKind::FailedPrecondition,
            Self::RunNotFound(_) | Self::UnknownFlow(_) | Self::Replaced(_) => ErrorKind::NotFound,
            Self::Lost(_) => ErrorKind::Aborted,
            // A retry does not help, and the error affects only one run.
            Self::Folder { source, .. }
                if source.kind() == std::io::ErrorKind::PermissionDenied =>
            {
                ErrorKind::FailedPrecondition
            }
            Self::SaveFailed { .. } | Self::StoreTimeout(_) | Self::Folder { .. } => {
                ErrorKind::Unavailable
            }
            Self::CannotOpen { source, .. } => kind_of_io(source),
            Self::MemoryFull | Self::MailFull { .. } => ErrorKind::ResourceExhausted,
            Self::Cancelled(_) => ErrorKind::Cancelled,
            Self::Poisoned { .. }
            | Self::Unreadable { .. }
            | Self::Unserializable { .. }
            | Self::TornFile(_)
            | Self::UnexpectedStep => ErrorKind::Internal,
        }
    }
}

/// Returns the kind of an I/O error that occurred while a folder was opened: `Unavailable` only if a retry can succeed.
fn kind_of_io(error: &std::io::Error) -> ErrorKind {
    use std::io::ErrorKind as Io;
    match error.kind() {
        Io::NotFound
        | Io::PermissionDenied
        | Io::AlreadyExists
        | Io::NotADirectory
        | Io::IsADirectory
        | Io::ReadOnlyFilesystem
        | Io::InvalidInput
        | Io::Unsupported => ErrorKind::FailedPrecondition,
        _ => ErrorKind::Unavailable,
    }
}
