//! Raw streamable HTTP: what a client in trouble, or a stranger, may send.

mod access;
mod embedding;
mod here;
mod messages;
mod sessions;
mod shutdown;
mod wire;
