//! JSON-RPC framing: messages as lines of text over two byte streams, for clients and servers.

mod envelope;
mod frame;
mod line_stream;
pub(crate) mod nesting;
mod outbox;
mod outline;
pub(crate) mod scan;
#[cfg(test)]
mod tests;
mod values;

pub use envelope::{Envelope, Member};
pub use frame::LongLine;
pub use genkit_core::internal::bounded_json::has_more_values;
pub use line_stream::LineStream;
pub use nesting::MAX_NESTING;
pub use nesting::nesting;
pub use outbox::Outbox;
pub use outline::MAX_ID_BYTES;
pub use outline::Scanner;
pub use outline::{Id, Outline};
pub use values::MAX_VALUES;
