//! The driver, which sends a call and passes the response to the wire format of its provider.

use std::sync::Arc;
use std::time::Instant;

use super::endpoint::ApiEndpoint;
use super::error::CallError;
use super::property_names::RenamedTools;
use super::response::HttpResponse;
use super::status::is_web_page;
use crate::wire::HeaderLookup;
use crate::wire::{Next, StreamFormat, WireFormat, WireStream};
use crate::{ChunkSink, Model, ModelInfo, cannot_count_error};
use genkit_core::BoxFuture;
use genkit_core::internal::future::box_in_place;
use genkit_core::{Error, Result};
use genkit_core::{FinishReason, GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::{SseError, SseEvent, SseParser};

/// The maximum number of times that a paused response is continued. Default is 5; after that, the
/// paused response is returned.
const MAX_CONTINUATIONS: usize = 5;

/// A model called over HTTP.
pub struct HttpModel<W> {
    name: String,
    info: ModelInfo,
    wire: W,
    endpoint: Arc<ApiEndpoint>,
}

impl<W: WireFormat> HttpModel<W> {
    pub fn new(name: String, info: ModelInfo, wire: W, endpoint: Arc<ApiEndpoint>) -> Self {
        Self { name, info, wire, endpoint }
    }

    /// Returns the response to `request`, continuing a paused response until it ends.
    async fn send_and_decode(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
    ) -> Result<ModelResponse> {
        let mut response = self.call(request, chunks).await?;
        for _ in 0..MAX_CONTINUATIONS {
            let Some(next) = self.wire.continue_request(request, &response) else { break };
            // Boxed, because few responses are paused.
            response = join_responses(response, box_in_place(|| self.call(&next, chunks)).await?);
        }
        Ok(response)
    }

    async fn call(&self, request: &ModelRequest, chunks: &ChunkSink) -> Result<ModelResponse> {
        let is_known = cfg!(debug_assertions) && request.encoded.message_count() > 0;
        let call = self.wire.encode_request(request, chunks.is_wanted())?;
        if is_known {
            let whole = self.wire.encode_request(&request.clone(), chunks.is_wanted())?;
            assert_eq!(call.body, whole.body, "the cached body differs");
        }
        self.endpoint.run_exchange(call, |answer| self.read(answer, request, chunks)).await
    }

    async fn read(
        &self,
        answer: HttpResponse<'_>,
        request: &ModelRequest,
        chunks: &ChunkSink,
    ) -> Result<ModelResponse> {
        if chunks.is_wanted() && answer.status() < 300 {
            return self.read_stream(answer, request, chunks).await;
        }
        self.wire.decode_response(request, &self.read_whole(answer).await?)
    }

    /// Reads the body of a response, or returns the error that its status indicates.
    async fn read_whole(&self, answer: HttpResponse<'_>) -> Result<Vec<u8>> {
        let failure = |status, headers: HeaderLookup<'_>, body: &[u8]| {
            self.wire.decode_error(status, headers, body)
        };
        self.endpoint.read_body(answer, failure).await
    }

    /// Reads the response to a streaming call, which may still be plain JSON: an error or a
    /// complete response.
    async fn read_stream(
        &self,
        mut answer: HttpResponse<'_>,
        request: &ModelRequest,
        chunks: &ChunkSink,
    ) -> Result<ModelResponse> {
        let mut head = Vec::new();
        let first = loop {
            let Some(piece) = answer.next().await? else {
                self.endpoint.ensure_not_empty(&head)?;
                break b'\n';
            };
            head.extend_from_slice(&piece);
            if let Some(first) = first_byte(&head) {
                break first;
            }
        };
        let mut stream = self.wire.open_stream(request);
        match first {
            first if is_web_page(&[first]) => return Err(self.call_error(CallError::WebPage)),
            _ if self.wire.framing() == StreamFormat::Ndjson => {
                self.read_events(head, answer, SseParser::ndjson(), &mut *stream, chunks).await?;
            }
            b'{' => {
                let body = answer.read_whole(head).await?;
                let response = self.wire.decode_response(request, &body)?;
                send_whole(&response, chunks);
                return Ok(response);
            }
            b'[' => {
                let body = answer.read_whole(head).await?;
                let text =
                    str::from_utf8(&body).map_err(|_| self.call_error(CallError::NotUtf8))?;
                stream.read_event(&SseEvent::Bare(text), chunks)?;
            }
            _ => self.read_events(head, answer, SseParser::default(), &mut *stream, chunks).await?,
        }
        let response = stream.into_response()?;
        if matches!(response.finish_reason, None | Some(FinishReason::Unknown)) {
            tracing::warn!(
                "{}: the stream ended without a finish reason; the response may be incomplete",
                self.endpoint.api_label()
            );
        }
        Ok(response)
    }

    async fn read_events(
        &self,
        head: Vec<u8>,
        mut answer: HttpResponse<'_>,
        mut parser: SseParser,
        stream: &mut dyn WireStream,
        chunks: &ChunkSink,
    ) -> Result<()> {
        parser.push_first(head);
        let mut ended = false;
        loop {
            while let Some(event) = parser.next() {
                let event = event.map_err(|error| self.stream_error(error))?;
                if stream.read_event(&event, chunks)? == Next::Done {
                    return answer.discard_rest();
                }
            }
            if ended {
                return Ok(());
            }
            match answer.next().await? {
                Some(piece) => parser.push(&piece),
                None => {
                    parser.finish();
                    ended = true;
                }
            }
        }
    }

    fn stream_error(&self, error: SseError) -> Error {
        self.call_error(match error {
            SseError::TooLong { .. } | SseError::Idle { .. } => CallError::EventTooLong(error),
            SseError::NotUtf8 { .. } => CallError::BrokenEvent(error),
        })
    }

    fn call_error(&self, failure: CallError) -> Error {
        failure.into_error(self.endpoint.api_label())
    }
}

impl<W: WireFormat> Model for HttpModel<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn generate<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        box_in_place(|| async move {
            let started = Instant::now();
            let mut response = match RenamedTools::rename_request(request) {
                None => self.send_and_decode(request, chunks).await?,
                Some((renamed, tools)) => {
                    let chunks = tools.restore_chunks(chunks);
                    let sent = box_in_place(|| self.send_and_decode(&renamed, &chunks)).await?;
                    tools.restore_response(sent)
                }
            };
            response.latency_ms.get_or_insert(started.elapsed().as_secs_f64() * 1000.0);
            Ok(response)
        })
    }

    fn count_tokens<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            let renamed = RenamedTools::rename_request(request);
            let request = renamed.as_ref().map_or(request, |(renamed, _)| renamed);
            let call = self.wire.encode_count(request)?;
            let call = call.ok_or_else(|| cannot_count_error(&self.name))?;
            let body = self.endpoint.run_exchange(call, |answer| self.read_whole(answer)).await?;
            self.wire.decode_count(&body)
        })
    }

    fn body(&self, request: &ModelRequest, stream: bool) -> Option<Result<Vec<u8>>> {
        let renamed = RenamedTools::rename_request(request);
        let request = renamed.as_ref().map_or(request, |(renamed, _)| renamed);
        Some(self.wire.encode_request(request, stream).map(|call| call.body))
    }
}

/// Joins a paused response and its continuation: the content of both, the usage of both, and the
/// finish reason of the second.
fn join_responses(paused: ModelResponse, mut more: ModelResponse) -> ModelResponse {
    if let Some(mut message) = paused.message {
        message.content.extend(more.message.into_iter().flat_map(|message| message.content));
        more.message = Some(message);
    }
    more.usage.add(&paused.usage);
    more
}

fn send_whole(response: &ModelResponse, chunks: &ChunkSink) {
    match response.message.as_ref().filter(|message| !message.content.is_empty()) {
        Some(message) if chunks.is_read() => {
            chunks.send(GenerateChunk::new(message.content.clone()))
        }
        Some(_) => chunks.skip(),
        None => {}
    }
}

/// Returns the first byte after white space and a byte order mark.
fn first_byte(bytes: &[u8]) -> Option<u8> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    if bytes.len() < MARK.len() && MARK.starts_with(bytes) {
        return None;
    }
    bytes.strip_prefix(MARK).unwrap_or(bytes).trim_ascii_start().first().copied()
}
