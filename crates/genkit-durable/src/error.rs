//! The errors of durable runs, all in one list.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "durable runs need a store: `Genkit::builder().durable(FolderStore::open(\"runs\")?)`, or one of another \
         crate"
    )]
    NoStore,
    #[error("there is no run `{0}`")]
    NoRun(String),
    #[error("the run `{id}` is {is}, and not {wanted}")]
    OtherKind { id: String, is: &'static str, wanted: &'static str },
    #[error(
        "a durable run goes on in other processes, which find what it needs by name, and these have none: {}. \
         Register them with `Genkit::builder()`", .0.join("; ")
    )]
    NotByName(Vec<String>),
    #[error("what is stored of the run `{id}` does not read: {why}")]
    Unreadable { id: String, why: String },
    #[error("what is to be stored of the run `{id}` does not serialize: {why}")]
    Unserializable { id: String, why: String },
    #[error("another worker, or somebody who answered or cancelled, has changed the run `{0}`")]
    Lost(String),
    #[error(
        "the run `{id}` could not be saved, {tries} times: its work stops here, and is taken up again"
    )]
    NotSaved { id: String, tries: u32 },
    #[error("the run `{id}` is {status}, and asks nothing")]
    AsksNothing { id: String, status: &'static str },
    #[error("the call `{call}` of the run `{id}` asks nothing{open}")]
    NoOpenCall { id: String, call: String, open: String },
    #[error(
        "the call `{0}` asks several questions: answer them with `.answer_with(..)`, which is told each"
    )]
    SeveralQuestions(String),
    #[error(
        "an approval is answered with true or false; `.answer_with(..)` has reasons and other arguments"
    )]
    NoYesOrNo,
    #[error("the answer does not serialize: {0}")]
    AnswerUnserializable(String),
    #[error("the run `{0}` was cancelled")]
    Cancelled(String),
    #[error("the flow `{0}` is not in the registry: link the crate that defines it, or add it")]
    NoFlow(String),
    #[error("this is no step of that run as it stands: the engine has mixed up two of them")]
    NotItsStep,
    #[error("a head and each line of a log are one line: a store keeps no line breaks in them")]
    LineBreak,
    #[error(
        "there is no room for more tasks in memory: wait until others are gone. A server with a store has room: \
         `Genkit::builder().durable(..)`"
    )]
    MemoryFull,
    #[error("the folder of runs `{folder}`: {what}")]
    Folder { folder: String, what: &'static str, source: std::io::Error },
    #[error("the file `{0}` of a run is not whole, or was written by something else")]
    TornFile(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotByName(_)
            | Self::NoOpenCall { .. }
            | Self::SeveralQuestions(_)
            | Self::NoYesOrNo
            | Self::AnswerUnserializable(_)
            | Self::LineBreak => ErrorKind::InvalidArgument,
            Self::NoStore | Self::OtherKind { .. } | Self::AsksNothing { .. } => {
                ErrorKind::FailedPrecondition
            }
            Self::NoRun(_) | Self::NoFlow(_) => ErrorKind::NotFound,
            Self::Lost(_) => ErrorKind::Aborted,
            Self::NotSaved { .. } | Self::Folder { .. } => ErrorKind::Unavailable,
            Self::MemoryFull => ErrorKind::ResourceExhausted,
            Self::Cancelled(_) => ErrorKind::Cancelled,
            Self::Unreadable { .. }
            | Self::Unserializable { .. }
            | Self::TornFile(_)
            | Self::NotItsStep => ErrorKind::Internal,
        }
    }
}
