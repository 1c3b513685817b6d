//! The client of flows: one call, and what comes back.

mod answer;
mod call;
mod error;
mod request;
mod stream;

pub use call::FlowCall;
pub use stream::FlowStream;
