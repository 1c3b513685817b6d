//! The flow server: handles requests, and sends responses and streams.

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
