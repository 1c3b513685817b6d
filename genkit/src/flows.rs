//! Flows over HTTP: served as every client of Genkit calls them, and called on any Genkit server.
//!

#[cfg(feature = "flows")]
#[doc(inline)]
pub use genkit_flows::{
    ApiKey, Bearer, ContextProvider, FlowRequest, FlowServer, MemoryStreams, StreamEvent,
    StreamReader, StreamStore, StreamWriter, api_key, bearer,
};
#[cfg(feature = "flow-client")]
#[doc(inline)]
pub use genkit_flows::{FlowCall, FlowStream};
