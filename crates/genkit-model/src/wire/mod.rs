//! The wire format of a provider: encoding and decoding, without IO.

pub(crate) mod arguments;
pub(crate) mod data_url;
pub(crate) mod lazy;
pub(crate) mod lenient;
pub(crate) mod retry_after;
pub(crate) mod settings;
pub(crate) mod signature;

use std::borrow::Cow;

use crate::ChunkSink;
use genkit_core::{Error, ErrorKind, ModelRequest, ModelResponse, Result};
use genkit_http_client::internal::sse::SseEvent;

/// An HTTP request to a provider. The driver adds the base URL.
pub struct HttpCall {
    /// The path after the base URL, including the query string.
    pub path: String,
    /// The headers, with names in lower case. Values that are secret are not logged.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// The JSON body.
    pub body: Vec<u8>,
}

/// A function that looks up a header of a response by name.
pub type HeaderLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A provider's wire format.
pub trait WireFormat: Send + Sync + 'static {
    /// Encodes the HTTP request for `request`.
    fn encode_request(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall>;

    /// Decodes a complete response.
    fn decode_response(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse>;

    /// Returns the format of streamed responses.
    fn framing(&self) -> StreamFormat {
        StreamFormat::Sse
    }

    /// Creates a decoder for one streamed response.
    fn open_stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a>;

    /// Returns the request that continues `paused`, or `None` if the response was not paused.
    fn continue_request(
        &self,
        request: &ModelRequest,
        paused: &ModelResponse,
    ) -> Option<ModelRequest> {
        let _ = (request, paused);
        None
    }

    /// Encodes the HTTP request that counts the tokens of `request`. Returns `None` if the API cannot count tokens.
    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        let _ = request;
        Ok(None)
    }

    /// Decodes the response to a request from [`encode_count`](Self::encode_count).
    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        let _ = body;
        Err(Error::new(
            ErrorKind::Internal,
            "a token count was read from an API that cannot count tokens",
        ))
    }

    /// Decodes the error of a response with a status of 400 or more. `headers` looks up a header by
    /// name.
    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error;
}

/// The way a streamed response is split into events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamFormat {
    /// Server-sent events. A response that starts with `{` is parsed as one complete response
    /// instead.
    Sse,
    /// JSON lines; each line is an [`SseEvent::Bare`].
    Ndjson,
}

/// The decoder of one streamed response.
pub trait WireStream: Send {
    /// Decodes one event and sends new content to `chunks`. An error ends the call; content before the error was
    /// already sent.
    fn read_event(&mut self, event: &SseEvent<'_>, chunks: &ChunkSink) -> Result<Next>;

    /// Returns the complete response, after the last event.
    fn into_response(self: Box<Self>) -> Result<ModelResponse>;
}

/// The decision whether to read more of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    More,
    /// The provider's end marker was read; anything after it is ignored.
    Done,
}
