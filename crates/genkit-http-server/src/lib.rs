//! HTTP servers: what all of this library have in common. Where they listen, who may call them, and how
//! they end.

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
mod origin;
mod room;
mod secret;
mod serving;
mod stream;
#[cfg(unix)]
mod unix_socket;
mod until_sent;
mod without_delay;

pub use self::stream::HttpStream;
