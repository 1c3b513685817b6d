//! Raw streamable HTTP: what a client in trouble, or a stranger, may send.

mod access;
mod callers;
mod connections;
mod embedding;
mod errors;
mod health;
mod here;
mod listening;
mod messages;
mod middleware;
mod pages;
mod raw;
mod sessions;
mod shutdown;
mod sockets;
mod streams;
pub(crate) mod wire;
