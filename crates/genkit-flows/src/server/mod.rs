//! The flow server: handles requests, and sends responses and streams.

mod answer;
mod builder;
mod durable;
mod endpoint;
mod error;
mod frames;
mod gate;
mod provider;
mod rejection;
mod request;
mod run;
mod sealing;
mod serve;
mod shared;
mod store;
mod streamed;
mod user_part;

pub use builder::FlowServer;
pub use frames::encode_frame;
pub use gate::{AdmittedRequest, FrameMemory, Gate, GateSettings};
pub use provider::{ApiKey, Bearer, ContextProvider, FlowRequest, api_key, bearer};
pub use rejection::{Rejection, masked_error};
pub use sealing::{associated_data, create_seal};
pub use serve::StartedServer;
pub use store::{MemoryStreams, StreamEvent, StreamReader, StreamStore, StreamWriter};
pub use streamed::frames_response;
pub use user_part::{check_user_message, is_readable};
