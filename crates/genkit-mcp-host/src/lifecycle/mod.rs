//! The lifecycle of one server's connection: handshake, reconnection, end.

pub(crate) mod error;
pub(crate) mod handshake;
pub(crate) mod link;
pub(crate) mod machine;
mod pins;
pub(crate) mod server;
pub(crate) mod supervisor;
pub(crate) mod warning_budget;
