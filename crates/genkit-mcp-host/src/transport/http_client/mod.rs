//! The HTTP client that streamable HTTP and OAuth share: which addresses it may ask, and what its
//! failures mean.

pub(crate) mod addresses;
pub(crate) mod client;
pub(crate) mod error;
pub(crate) mod explain;
pub(crate) mod failure;
pub(crate) mod url;
