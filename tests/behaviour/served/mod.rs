//! What a server does around its functions: the audit log, middleware, byte streams.

mod apps;
mod audit;
mod contents;
mod middleware;
mod requests;
#[cfg(unix)]
mod streams;
mod tool_search;
mod urls;
mod variables;
mod verifying;
