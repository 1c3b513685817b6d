//! HTTP clients with one policy for timeouts, proxies and TLS, and a parser of server-sent events.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

#[doc(hidden)]
pub mod internal;
mod net;
mod sse;
