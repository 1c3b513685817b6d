//! The common parts of the requests of both APIs.

pub(crate) mod messages;
pub(crate) mod output_format;
pub(crate) mod settings;
pub(crate) mod tools;
