//! HTTP clients with one policy for timeouts, proxies and TLS, and a parser of server-sent events.

#![allow(
    missing_docs,
    reason = "what is public for users is documented, which a test of `genkit` checks; the rest is for sibling crates"
)]

#[doc(hidden)]
pub mod internal;
mod net;
mod sse;
