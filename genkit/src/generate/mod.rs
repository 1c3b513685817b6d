//! The loop: a model is asked, its tool calls are run, and it is asked again with the answers.
//!
//! [`builder`] says what is asked, [`prepare`] makes the first request of it, [`turn`] decides, and
//! [`run`] does what it decides.

mod builder;
mod call;
mod caller;
mod chat;
mod embed;
mod format;
mod interrupt;
mod limits;
pub mod middleware;
mod options;
mod parts;
mod prepare;
mod response;
mod resume;
mod run;
mod stream;
mod supports;
#[cfg(test)]
mod tests;
mod toolbox;
mod tools;
mod trace;
mod turn;

pub use builder::Generate;
pub use call::{Approval, OnToolError};
pub use chat::Chat;
pub use format::Format;
pub use interrupt::{Answer, Interrupt};
pub use options::{GenerateOptions, Instructions, OutputOptions};
pub use parts::IntoParts;
pub use response::GenerateResponse;
pub use resume::Resume;
pub use stream::GenerateStream;
pub use tools::{IntoResources, IntoTools, ResourceRef, ResourceSource, ToolRef, ToolSource};
