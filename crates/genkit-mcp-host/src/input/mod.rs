//! Input that servers request from a host: elicitation and sampling.

pub(crate) mod elicit;
pub(crate) mod error;
pub(crate) mod sampling;
