//! The errors of JSONata expressions.

use std::time::Duration;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the JSONata expression failed: {0}")]
    Failed(String),
    #[error(
        "the JSONata expression uses `{0}`, which is not allowed; `$eval` is rejected, and `$pad` needs \
         a literal width up to 10,000"
    )]
    Unbounded(String),
    #[error("the JSONata expression ran longer than {0:?}")]
    TooSlow(Duration),
    #[error("{0} earlier JSONata expressions are still running and do not end")]
    Busy(usize),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}
