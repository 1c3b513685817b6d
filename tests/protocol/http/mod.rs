//! Raw streamable HTTP: what a client in trouble, or a stranger, may send.

mod access;
mod embedding;
mod errors;
mod here;
mod listening;
mod messages;
mod middleware;
mod sessions;
mod shutdown;
mod wire;
