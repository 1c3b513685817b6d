//! The client of flows: calls and their responses.

mod answer;
mod call;
mod error;
mod request;
mod stream;

pub use call::FlowCall;
pub use stream::FlowStream;
