//! Flows over HTTP: serves flows to every Genkit client, and calls flows on any Genkit server.
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
