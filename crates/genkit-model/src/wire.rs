//! Wire format: what a provider is, encode and decode, without any IO.

use crate::ChunkSink;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;
use std::borrow::Cow;

/// An HTTP call that a provider wants. The driver adds the base URL.
pub struct HttpCall {
    /// After the base URL, with its query.
    pub path: String,
    /// Names in lower case. A value that is secret stands in no log.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// JSON.
    pub body: Vec<u8>,
}

/// A provider's wire format.
pub trait WireFormat: Send + Sync + 'static {
    /// The call for `request`.
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall>;

    /// The response in a whole answer.
    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse>;

    /// How a streamed answer is cut into events.
    fn framing(&self) -> Framing {
        Framing::Sse
    }

    /// Begins to read a streamed answer.
    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a>;

    /// The request that makes an answer go on which paused, if it did.
    fn go_on(&self, request: &ModelRequest, paused: &ModelResponse) -> Option<ModelRequest> {
        let _ = (request, paused);
        None
    }

    /// The call that counts the tokens of `request`; `None` where the API has none.
    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        let _ = request;
        Ok(None)
    }

    /// The count in the answer to it. Nobody asks where [`encode_count`](Self::encode_count) gives none.
    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        let _ = body;
        Err(Error::new(ErrorKind::Internal, "a count was read of an API that has none"))
    }

    /// The error in an answer with a status of 400 or more. `headers` finds a header by its name.
    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error;
}

/// How a streamed answer is cut into events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events. An answer that begins with `{` is no stream, but whole.
    Sse,
    /// JSON lines: each comes as [`SseEvent::Bare`].
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "Ollama alone has it"))]
    Ndjson,
}

/// One streamed answer being read.
pub trait WireStream: Send {
    /// Reads one event; what is new goes to `chunks`, also before an error, which ends the call.
    fn event(&mut self, event: &SseEvent<'_>, chunks: &ChunkSink) -> Result<Next>;

    /// The whole answer, after the last event.
    fn end(self: Box<Self>) -> Result<ModelResponse>;
}

/// Whether a stream goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    More,
    /// The provider's end mark: what follows is not read.
    Done,
}
