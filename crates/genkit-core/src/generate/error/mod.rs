//! Errors of a run, before it begins and while it runs.

mod messages;

pub use messages::Error;
