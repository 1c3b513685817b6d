//! The shared foundation of Genkit's HTTP servers: listening, access checks and shutdown.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod body;
mod body_budget;
mod connections;
mod cors;
mod drain;
mod error;
mod fair_limit;
mod host;
mod host_port;
#[doc(hidden)]
pub mod internal;
mod listening;
mod media_types;
mod origin;
mod secret;
mod serving;
mod until_sent;

pub use self::listening::stream::HttpStream;
