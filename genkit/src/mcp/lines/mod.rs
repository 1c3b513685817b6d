//! JSON-RPC as lines of text over two byte streams: what both ends of a connection need for it.

mod envelope;
mod frame;
mod nesting;
mod outbox;
mod outline;
#[cfg(test)]
mod tests;

pub(in crate::mcp) use envelope::Envelope;
#[cfg(feature = "mcp-host")]
pub(in crate::mcp) use envelope::Member;
pub(in crate::mcp) use frame::{Frame, Framer};
pub(in crate::mcp) use nesting::{MAX_NESTING, nesting};
pub(in crate::mcp) use outbox::Outbox;
#[cfg(feature = "mcp-host")]
pub(in crate::mcp) use outline::Scanner;
pub(in crate::mcp) use outline::{Id, Outline};
