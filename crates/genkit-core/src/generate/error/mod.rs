//! Errors: what a run can fail with, before it begins and on its way.

mod messages;

pub use messages::Error;
