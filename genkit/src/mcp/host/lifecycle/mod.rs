//! Connection lifecycle of one server: started, lost, tried again, closed.

pub(crate) mod handshake;
pub(crate) mod server;
pub(crate) mod supervisor;
