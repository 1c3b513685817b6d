//! The errors of JSONata expressions.

use std::time::Duration;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the JSONata expression failed: {0}")]
    Failed(String),
    #[error(
        "the JSONata expression uses `{0}` in a way that cannot be bounded; `$eval` is rejected, `$pad` and \
         `$fromMillis` need a literal width up to 10,000, and other functions that create text must be called directly"
    )]
    Unbounded(String),
    #[error("the JSONata expression ran longer than {0:?}")]
    TooSlow(Duration),
    #[error(
        "the memory of this program grew by more than {0} MiB while the JSONata expression ran"
    )]
    TooLarge(u64),
    #[error("the output is longer than {0} bytes of JSON, the limit for JSONata")]
    LongOutput(usize),
    #[error("{0} earlier JSONata expressions have not finished")]
    Busy(usize),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}
