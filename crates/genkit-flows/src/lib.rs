//! Flows over HTTP: serves flows to every Genkit client, and calls flows on any Genkit server.
//!
#![cfg_attr(
    feature = "server",
    doc = r#"`serve_flows` serves the flows of the program, and `Genkit::serve_flows` the flows of a custom registry;
[`FlowServer`] has every option.

```no_run
use genkit::{Chunks, Result, flow, flows};

/// Counts to `n`.
#[flow]
async fn count(chunks: &Chunks<u32>, n: u32) -> Result<u32> {
    for i in 1..=n { chunks.send(i).await?; }
    Ok(n)
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::serve_flows()
        .http("127.0.0.1:3400")
        .context_provider(flows::api_key("secret")) // otherwise 401 or 403
        .durable_streams(true)                      // a client that lost its stream can resume it
        .await
}
```

| request | response |
|---|---|
| `POST /count` with `{"data": {"n": 2}}` | `{"result": 2}` |
| the same with `Accept: text/event-stream`, or `POST /count?stream=true` | `data: {"message": 1}`, `data: {"message": 2}`, `data: {"result": 2}` |
| the same with `x-genkit-stream-id: ID` of an earlier response | that stream from its beginning; with `?from=1`, without its first chunk |

For a flow without input, send `{}`. Errors use Genkit's status names: a plain response has the HTTP status
and `{"status": "NOT_FOUND", "message": ".."}`, a stream ends with `data: {"error": {..}}`."#
)]
#![cfg_attr(
    feature = "client",
    doc = "\n\n`flow_client` calls flows of other servers: [`FlowCall`]."
)]
#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

#[cfg(feature = "client")]
mod client;
#[doc(hidden)]
#[cfg(feature = "server")]
pub mod internal;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "client")]
pub use client::{FlowCall, FlowStream};
#[cfg(feature = "server")]
pub use server::{
    ApiKey, Bearer, ContextProvider, FlowRequest, FlowServer, MemoryStreams, StreamEvent,
    StreamReader, StreamStore, StreamWriter, api_key, bearer,
};

/// The header that contains the id of a durable stream.
#[cfg(any(feature = "server", feature = "client"))]
pub(crate) const STREAM_ID: &str = "x-genkit-stream-id";
