//! What a server does around its functions: the audit log, middleware, byte streams.

mod audit;
mod middleware;
mod requests;
#[cfg(unix)]
mod streams;
