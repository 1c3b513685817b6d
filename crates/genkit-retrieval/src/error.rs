//! Errors of retrieval.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

use crate::{MAX_RESULTS, MAX_TEXT_BYTES};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the number of documents for `{0}` must be from 1 to {MAX_RESULTS}, not {1}")]
    Results(String, usize),
    #[error("failed to read the query or its documents: {0}")]
    Request(String),
    #[error(
        "the text is {0} bytes long, but the limit is {MAX_TEXT_BYTES}; split it into passages"
    )]
    Text(usize),
    #[error("the document has no text to compare; add a text part")]
    MissingText,
    #[error("the index holds at most {0} documents; raise `.max_documents(..)` or use a database")]
    Full(usize),
    #[error(
        "the embedder `{0}` must return one vector for each text; it returned {1} vectors for {2} texts"
    )]
    Count(String, usize, usize),
    #[error(
        "the embedder `{0}` returned a vector with {1} dimensions, but the index contains vectors with {2}; use the same embedder and the same number of dimensions for all documents"
    )]
    Dimensions(String, usize, usize),
    #[error("the embedder `{0}` returned a vector that is empty or not finite; check its response")]
    Vector(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Count(..) | Self::Dimensions(..) | Self::Vector(_) => ErrorKind::Internal,
            Self::Full(_) => ErrorKind::ResourceExhausted,
            Self::Results(..) | Self::Request(_) | Self::Text(_) | Self::MissingText => {
                ErrorKind::InvalidArgument
            }
        }
    }
}
