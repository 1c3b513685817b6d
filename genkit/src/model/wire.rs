//! What a provider is: encode and decode, without any IO.

use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::model::sse::Event;
use crate::model::{GenerateChunk, ModelRequest, ModelResponse};

/// An HTTP call that a provider wants. The driver adds the base URL.
pub(crate) struct HttpCall {
    /// After the base URL, with its query.
    pub(crate) path: String,
    /// Names in lower case. A value that is secret stands in no log.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// JSON.
    pub(crate) body: Vec<u8>,
}

/// A provider's wire format.
pub(crate) trait Wire: Send + Sync + 'static {
    /// What is sent for `request`.
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall>;

    /// What a whole answer says.
    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse>;

    /// Begins to read a streamed answer.
    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a>;

    /// What an answer with a status of 400 or more says. `headers` finds a header by its name.
    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error;
}

/// One streamed answer being read.
pub(crate) trait WireStream: Send {
    /// Reads one event; what it says goes to `chunks`. An error ends the call.
    fn event(&mut self, event: &Event, chunks: &mut Vec<GenerateChunk>) -> Result<Next>;

    /// The whole answer, after the last event.
    fn end(self: Box<Self>) -> Result<ModelResponse>;
}

/// Whether a stream goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    More,
    /// The provider's end mark: what follows is not read.
    Done,
}

/// The kind of an error by its HTTP status, as every provider means it.
pub(crate) fn kind_of_status(status: u16) -> ErrorKind {
    match status {
        400 | 405..=407 | 411..=422 => ErrorKind::InvalidArgument,
        401 => ErrorKind::Unauthenticated,
        402 | 429 => ErrorKind::ResourceExhausted,
        403 => ErrorKind::PermissionDenied,
        404 => ErrorKind::NotFound,
        408 | 504 => ErrorKind::DeadlineExceeded,
        409 => ErrorKind::Aborted,
        499 => ErrorKind::Cancelled,
        500 => ErrorKind::Internal,
        501 => ErrorKind::Unimplemented,
        // What stands in front of a server has codes of its own, as Cloudflare's 520 to 530.
        502 | 503 | 505..=599 => ErrorKind::Unavailable,
        _ => ErrorKind::Unknown,
    }
}

/// The wait that headers ask for: `retry-after-ms`, then `retry-after` in seconds or as a date.
pub(crate) fn retry_after(headers: &dyn Fn(&str) -> Option<String>) -> Option<Duration> {
    let number = |name: &str| headers(name)?.trim().parse::<f64>().ok();
    if let Some(wait) = number("retry-after-ms").and_then(|ms| seconds(ms / 1000.0)) {
        return Some(wait);
    }
    if let Some(wait) = number("retry-after").and_then(seconds) {
        return Some(wait);
    }
    let date = httpdate::parse_http_date(headers("retry-after")?.trim()).ok()?;
    Some(date.duration_since(std::time::SystemTime::now()).unwrap_or_default())
}

/// A wait, if it is one: a server may say anything.
pub(crate) fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}
