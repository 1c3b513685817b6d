//! The flow server: requests in, answers and streams out.

mod answer;
mod builder;
mod durable;
mod endpoint;
mod error;
mod frames;
mod request;
mod run;
mod serve;
mod shared;
mod streamed;

pub use builder::{FlowServer, OnStart};
