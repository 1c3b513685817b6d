//! Requests to servers and their results.

pub(crate) mod fingerprint;
pub(crate) mod methods;
pub(crate) mod results;
pub(crate) mod send;
