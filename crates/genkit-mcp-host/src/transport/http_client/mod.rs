//! The HTTP client that streamable HTTP and OAuth share, with its address policy and the translation of errors.

pub(crate) mod addresses;
pub(crate) mod client;
pub(crate) mod error;
pub(crate) mod explain;
pub(crate) mod network;
