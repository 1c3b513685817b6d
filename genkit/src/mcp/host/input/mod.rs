//! Input that servers ask of a host: elicitation, sampling, `input_required` results.

pub(crate) mod elicit;
pub(crate) mod input_required;
pub(crate) mod sampling;
