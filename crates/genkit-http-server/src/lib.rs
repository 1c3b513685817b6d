//! The foundation of this crate's HTTP servers: listening, access checks and shutdown.

#![allow(
    missing_docs,
    reason = "what is public for users is documented, which a test of `genkit` checks; the rest is for sibling crates"
)]

mod body;
mod connections;
mod cors;
mod drain;
mod error;
mod host;
#[doc(hidden)]
pub mod internal;
mod listening;
mod media_types;
mod origin;
mod room;
mod secret;
mod serving;
mod until_sent;
mod without_delay;

pub use self::listening::stream::HttpStream;
