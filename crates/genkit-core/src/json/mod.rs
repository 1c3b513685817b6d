//! JSON values: bounded while they are read, and finite before they are written.

pub mod bounded;
pub mod finite;
