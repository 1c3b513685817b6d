//! Raw streamable HTTP: requests of faulty and untrusted clients.

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
