//! AG-UI: serves an agent to web pages, over HTTP with server-sent events.
//!
//! [`AguiServer`] serves runs of the agent loop with the protocol AG-UI 1.0. Every client of that protocol can use
//! it: `@ag-ui/client`, CopilotKit, assistant-ui and others. Vercel's AI SDK can use it as well.
//!
//! | a client sends | the server |
//! |---|---|
//! | user messages | passes them to the model |
//! | `tools` | offers them to the model; a call ends the run, and the page executes it |
//! | a tool message for such a call | continues with its content |
//! | `resume` for an interrupt | continues with the approval or the answer |
//! | system and developer messages, results of server tools, its copy of assistant messages | ignores them |
//!
//! An agent that stores its conversations, such as an agent of the crate `genkit-sessions`, receives only the new part
//! of a request. For all other agents the server stores no conversations: it seals the output of the model and of the
//! server's tools, and sends it in the encrypted value of a message, which the client stores and sends back. A seal is
//! bound to the thread and to the caller, so a client can neither change it nor use it in another thread.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod agent;
mod builder;
mod encoder;
mod endpoint;
mod error;
mod history;
mod input;
mod ledger;
mod outcome;
mod resumable;
mod run;
mod serve;
#[cfg(test)]
mod tests;
mod thread;
mod ui_event;
mod ui_stream;

pub use agent::{AguiRequest, IntoAgent};
pub use builder::AguiServer;
pub use genkit_flows::{ApiKey, Bearer, ContextProvider, FlowRequest, api_key, bearer};
pub use ui_event::UiEvent;
