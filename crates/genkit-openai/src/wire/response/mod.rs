//! The common parts of the responses of both APIs.

pub(crate) mod error;
pub(crate) mod stream;
