//! JSON-RPC as lines of text over two byte streams: what both ends of a connection need for it.

mod envelope;
mod frame;
mod nesting;
mod outbox;
mod outline;
#[cfg(test)]
mod tests;

pub(crate) use envelope::Envelope;
#[cfg(feature = "mcp-host")]
pub(crate) use envelope::Member;
pub(crate) use frame::{Frame, Framer};
pub(crate) use nesting::{MAX_NESTING, nesting};
pub(crate) use outbox::Outbox;
#[cfg(feature = "mcp-host")]
pub(crate) use outline::Scanner;
pub(crate) use outline::{Id, Outline};
