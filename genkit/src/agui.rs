//! AG-UI: serves an agent to web pages, over HTTP with server-sent events.

#[doc(inline)]
pub use genkit_agui::{
    AguiRequest, AguiServer, ApiKey, Bearer, ContextProvider, FlowRequest, IntoAgent, UiEvent,
    api_key, bearer,
};
