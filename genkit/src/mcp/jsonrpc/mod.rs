//! JSON-RPC framing: messages as lines of text over two byte streams, for either end.

#[cfg(feature = "mcp-host")]
mod envelope;
mod frame;
mod line_stream;
mod nesting;
mod outbox;
mod outline;
#[cfg(feature = "mcp-server")]
pub(crate) mod scan;
#[cfg(test)]
mod tests;
mod values;

#[cfg(feature = "mcp-host")]
pub(crate) use envelope::{Envelope, Member};
pub(crate) use frame::Frame;
pub(crate) use line_stream::LineStream;
pub(crate) use nesting::{MAX_NESTING, nesting};
#[cfg(feature = "mcp-server")]
pub(crate) use outbox::Outbox;
#[cfg(feature = "mcp-server")]
pub(crate) use outline::MAX_ID_BYTES;
pub(crate) use outline::Scanner;
pub(crate) use outline::{Id, Outline};
pub(crate) use values::MAX_VALUES;
#[cfg(feature = "mcp-host")]
pub(crate) use values::has_more_values;
