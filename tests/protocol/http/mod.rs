//! Raw streamable HTTP: what a client in trouble, or a stranger, may send.

mod access;
mod advertised;
mod callers;
mod connections;
mod embedding;
mod errors;
pub(crate) mod here;
mod messages;
mod middleware;
mod moving;
mod pages;
mod raw;
mod running;
mod sessions;
mod streams;
mod tasks;
mod traces;
pub(crate) mod wire;
