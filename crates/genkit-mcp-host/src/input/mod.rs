//! Input that servers ask of a host: elicitation, sampling.

pub(crate) mod elicit;
pub(crate) mod error;
pub(crate) mod sampling;
