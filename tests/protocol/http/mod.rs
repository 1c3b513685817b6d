//! Raw streamable HTTP: what a client in trouble, or a stranger, may send.

mod access;
mod authentication;
mod connections;
mod embedding;
mod errors;
mod health;
mod here;
mod listening;
mod messages;
mod middleware;
mod owners;
mod pages;
mod permissions;
mod raw;
mod sessions;
mod shutdown;
mod sockets;
mod streams;
pub(crate) mod wire;
