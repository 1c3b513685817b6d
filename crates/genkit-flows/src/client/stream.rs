//! A streamed call: its chunks, then its result.

use std::marker::PhantomData;

use reqwest::Response;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use tokio::time::Instant;

use super::answer::{self, FlowHost, MAX_FLOW_ANSWER};
use super::error::Error as E;
use super::request::CallRequest;
use crate::STREAM_ID;
use genkit_core::internal::bounded_json::parse_response;
use genkit_core::{Error, Result};
use genkit_http_client::internal::sse::{SseEvent, SseParser};

/// A streamed call to a flow, created by [`FlowCall::stream`](super::FlowCall::stream). The flow runs while the stream
/// is read. Dropping the stream stops the flow, unless the server has durable streams.
///
/// ```no_run
/// # async fn run() -> genkit::Result<()> {
/// let mut stream = genkit::flow_client("http://127.0.0.1:3400/report").stream();
/// let mut seen = 0;
/// while let Some(chunk) = stream.next().await {
///     match chunk {
///         Ok(chunk) => { println!("{chunk}"); seen += 1; }
///         // The connection was lost: resume where it ended.
///         Err(error) if error.is_retryable() && stream.stream_id().is_some() => {
///             let id = stream.stream_id().unwrap_or_default().to_owned();
///             let again = genkit::flow_client("http://127.0.0.1:3400/report");
///             stream = again.stream_id(id).skip_chunks(seen).stream();
///         }
///         Err(error) => return Err(error),
///     }
/// }
/// let report = stream.response().await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a stream runs while it is read"]
pub struct FlowStream<O = Value, C = Value> {
    call: CallRequest,
    state: StreamState,
    stream_id: Option<String>,
    types: PhantomData<fn() -> (O, C)>,
}

enum StreamState {
    Idle,
    Reading(Box<StreamBody>),
    Done(Value),
    Failed(Error),
}

/// The body of a response that is being read.
struct StreamBody {
    server: FlowHost,
    response: Response,
    parser: SseParser,
    limit: std::time::Duration,
    deadline: Instant,
    ended: bool,
}

/// The content of a frame.
enum FlowFrame {
    Chunk(Value),
    Result(Value),
}

impl<O: DeserializeOwned, C: DeserializeOwned> FlowStream<O, C> {
    pub(super) fn new(call: CallRequest) -> Self {
        Self { call, state: StreamState::Idle, stream_id: None, types: PhantomData }
    }

    /// Returns the next chunk, or `None` at the end. An error is returned once, as the last item.
    ///
    /// # Errors
    /// Returns the same errors as awaiting the [`FlowCall`](super::FlowCall).
    pub async fn next(&mut self) -> Option<Result<C>> {
        let next = self.advance().await.transpose()?;
        let chunk = next.and_then(|chunk| answer::deserialize_as("chunk", chunk));
        if let Err(error) = &chunk {
            self.state = StreamState::Failed(error.to_repeated());
        }
        Some(chunk)
    }

    /// Waits for the flow to finish and returns its result. Unread chunks are discarded.
    ///
    /// # Errors
    /// Returns the same errors as awaiting the [`FlowCall`](super::FlowCall), even if [`next`](Self::next) has already
    /// returned the error.
    pub async fn response(mut self) -> Result<O> {
        while let Some(chunk) = self.next().await {
            chunk?;
        }
        match self.state {
            StreamState::Done(result) => answer::deserialize_as("result", result),
            StreamState::Failed(error) => Err(error),
            StreamState::Idle | StreamState::Reading(_) => {
                unreachable!("`next` returns `None` only after the result or an error")
            }
        }
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `response`")]
    pub async fn result(self) -> Result<O> {
        self.response().await
    }

    /// Returns the id with which [`FlowCall::stream_id`](super::FlowCall::stream_id) resumes this stream. Returns
    /// `None` before the first item is read, and if the server has no durable streams.
    pub fn stream_id(&self) -> Option<&str> {
        self.stream_id.as_deref()
    }

    async fn advance(&mut self) -> Result<Option<Value>> {
        if matches!(self.state, StreamState::Idle) {
            self.open_stream().await?;
        }
        let StreamState::Reading(reading) = &mut self.state else { return Ok(None) };
        match reading.next().await? {
            FlowFrame::Chunk(chunk) => Ok(Some(chunk)),
            FlowFrame::Result(result) => {
                self.state = StreamState::Done(result);
                Ok(None)
            }
        }
    }

    async fn open_stream(&mut self) -> Result<()> {
        let (limit, deadline) = self.call.deadline();
        let (server, url) = self.call.server()?;
        let sent = self.call.send(&server, url, "text/event-stream");
        let response = tokio::time::timeout_at(deadline, sent).await;
        let response = response.unwrap_or_else(|_| Err(server.slow(limit)))?;
        let id = response.headers().get(STREAM_ID).and_then(|id| id.to_str().ok());
        self.stream_id = id.map(str::to_owned);
        let parser = SseParser::with_limit(MAX_FLOW_ANSWER).with_error_field();
        let reading = StreamBody { server, response, parser, limit, deadline, ended: false };
        self.state = StreamState::Reading(Box::new(reading));
        Ok(())
    }
}

impl StreamBody {
    async fn next(&mut self) -> Result<FlowFrame> {
        loop {
            while let Some(event) = self.parser.next() {
                let text = match event {
                    Ok(SseEvent::Message { data, .. }) => data,
                    Ok(SseEvent::Bare(text)) => text.into(),
                    Err(source) => {
                        return Err(E::Stream { host: self.server.host.clone(), source }.into());
                    }
                };
                if text.trim().is_empty() {
                    continue;
                }
                let frame = parse_frame(&self.server, &text);
                // The last part of a body can be an incomplete frame.
                if self.ended
                    && frame.is_err()
                    && serde_json::from_str::<IgnoredAny>(&text).is_err()
                {
                    break;
                }
                return frame;
            }
            if self.ended {
                return Err(E::EndedEarly { host: self.server.host.clone() }.into());
            }
            match self.piece().await? {
                Some(piece) => self.parser.push(&piece),
                None => {
                    self.parser.finish();
                    self.ended = true;
                }
            }
        }
    }

    async fn piece(&mut self) -> Result<Option<bytes::Bytes>> {
        let piece = tokio::time::timeout_at(self.deadline, self.response.chunk()).await;
        match piece {
            Ok(piece) => piece.map_err(|error| self.server.closed(&error)),
            Err(_) => Err(self.server.slow(self.limit)),
        }
    }
}

fn parse_frame(server: &FlowHost, text: &str) -> Result<FlowFrame> {
    let not_json = |error: serde_json::Error| -> Error {
        server.invalid_response_error(&format!("an event is not JSON: {error}"))
    };
    let frame: Value = parse_response(text.as_bytes()).map_err(not_json)?;
    match frame {
        Value::Object(mut frame)
            if frame.contains_key("message") && !frame.contains_key("error") =>
        {
            let chunk = frame.remove("message").unwrap_or_default();
            Ok(FlowFrame::Chunk(server.redact_value(chunk)))
        }
        other => answer::take_result(server, other).map(FlowFrame::Result),
    }
}

impl<O, C> std::fmt::Debug for FlowStream<O, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FlowStream").field("stream_id", &self.stream_id).finish_non_exhaustive()
    }
}
