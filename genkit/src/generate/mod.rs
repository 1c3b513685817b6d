//! The generate loop: a model is asked, its tool calls are run, and it is asked again with the
//! answers.
//!
//! [`builder`] gathers what is asked, [`prepare`] makes the first request of it, and [`run`] goes
//! from turn to turn.

mod builder;
mod chat;
mod data;
mod error;
mod format;
pub(crate) mod interrupt;
pub mod middleware;
mod prepare;
mod request;
mod run;
mod stream;
mod tools;

pub use builder::Generate;
pub use chat::Chat;
pub use data::{GenerateOptions, GenerateResponse, Instructions, IntoParts, OutputOptions};
pub use format::Format;
pub use interrupt::{Answer, Interrupt, Resume};
pub use run::{Approval, OnToolError};
pub use stream::GenerateStream;
pub use tools::{IntoResources, IntoTools, ResourceRef, ResourceSource, ToolRef, ToolSource};
