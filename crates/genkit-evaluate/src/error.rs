//! The errors of evaluations.

use std::path::PathBuf;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    // Data sets.
    #[error("cannot read the data set `{}`", .0.display())]
    Unreadable(PathBuf, #[source] std::io::Error),
    #[error("the data set is larger than {0} bytes")]
    TooLarge(u64),
    #[error("row {row} of the data set is not a valid `{{\"input\": ..}}`: {why}")]
    Row { row: usize, why: String },
    #[error(
        "the data set is neither a JSON list of `{{\"input\": ..}}` nor one object per line: {0}"
    )]
    InvalidDataSet(String),

    // Evaluators.
    #[error("{0} was not provided")]
    MissingField(&'static str),
    #[error("the request is not a data set: {0}")]
    Request(String),

    // Runs.
    #[error("nothing to evaluate; the data set is empty")]
    EmptyDataSet,
    #[error("no evaluator is set; add `.with(metrics::regex())` or another evaluator")]
    MissingEvaluator,

    #[error("the function that creates the outputs panicked")]
    Panicked,

    // Metrics.
    #[error("reference must be a string: {0}")]
    NonStringReference(&'static str),
    #[error("invalid pattern: {0}")]
    Pattern(String),
    #[error("the pattern is longer than {0} bytes")]
    PatternTooLong(usize),
    #[error(
        "a pattern of {pattern} bytes after compilation and an output of {output} bytes are too slow to match; use \
         fewer repetitions in the pattern, such as `{{0,100}}`, or shorten the output"
    )]
    PatternTooCostly { pattern: usize, output: usize },
    #[error(
        "the judge returned no score for the answer accuracy; {0:?} is not a number from 0 to 4"
    )]
    InvalidRating(String),
    #[error("the judge found no statements in the output")]
    MissingStatements,
    #[error("the judge returned no verdict on {missing} of {statements} statements")]
    MissingVerdicts { missing: usize, statements: usize },
    #[error("the judge returned no question for the answer relevancy")]
    MissingQuestion,
    #[error("the embedder `{embedder}` returned {given} vectors for 2 inputs")]
    Embeddings { embedder: String, given: usize },
    #[error(
        "cannot compute the cosine similarity of vectors from the embedder `{0}`; their lengths differ, or a vector is zero"
    )]
    UndefinedCosine(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable(_, error) if error.kind() == std::io::ErrorKind::NotFound => {
                ErrorKind::NotFound
            }
            Self::InvalidRating(_)
            | Self::MissingStatements
            | Self::MissingVerdicts { .. }
            | Self::MissingQuestion
            | Self::Embeddings { .. }
            | Self::UndefinedCosine(_) => ErrorKind::Aborted,
            _ => ErrorKind::InvalidArgument,
        }
    }
}
