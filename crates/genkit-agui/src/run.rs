//! Drives a run and sends its events while the client reads them.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use genkit_agent::Generate;
use genkit_core::internal::sync::lock;
use genkit_core::{Error as CoreError, Message};
use genkit_flows::internal::{AdmittedRequest, FrameMemory, Rejection, frames_response};
use genkit_http_server::internal::FairPermit;

use crate::encoder::{Encoder, pending_results};
use crate::endpoint::AguiEndpoint;
use crate::error::Error as E;
use crate::ledger::Binding;
use crate::outcome::RunIds;
use crate::resumable::{COMMENT, DONE, ResumableStream, read_stream};
use crate::ui_stream::UiStream;

/// The number of unread frames after which a run waits. Default is 16.
pub(crate) const FRAMES: usize = 16;

/// The time that a client has to read a frame. Default is 30 seconds; a client that does not read in time is
/// disconnected.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The time between comments that keep an idle connection open. Default is 15 seconds.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A run that was admitted.
pub(crate) struct AdmittedRun {
    pub(crate) run: Generate,
    pub(crate) ids: RunIds,
    pub(crate) binding: Binding,
    pub(crate) known_calls: Vec<String>,
    pub(crate) carrier: Option<String>,
    /// The names of the tools that the page executes.
    pub(crate) page_tools: Vec<String>,
    /// The names of the tools that are agents.
    pub(crate) agents: Arc<HashSet<String>>,
}

/// The error if the client no longer reads the stream.
pub(crate) struct ClientDisconnected;

/// A run that is about to be streamed.
pub(crate) struct NewStream {
    pub(crate) ids: RunIds,
    /// Set if the client is Vercel's AI SDK.
    pub(crate) ui_stream: Option<UiStream>,
    pub(crate) chat: Binding,
    pub(crate) client: String,
    pub(crate) place: FairPermit<String>,
}

/// Sends the events of a run.
#[derive(Clone)]
pub(crate) struct FrameSender {
    to: FrameTarget,
    /// Set if the client is Vercel's AI SDK.
    ui_stream: Option<Arc<Mutex<UiStream>>>,
}

/// The destination of frames.
#[derive(Clone)]
enum FrameTarget {
    /// The client that started the run. The run is cancelled if the client disconnects.
    Client(mpsc::Sender<Bytes>, FrameMemory),
    /// A stored stream, which any number of clients can read.
    Stored(Arc<ResumableStream>),
}

impl FrameSender {
    async fn send(&self, frame: Bytes) -> Result<(), ClientDisconnected> {
        match &self.to {
            FrameTarget::Client(frames, memory) => {
                let (frame, is_counted) = match memory.count_frame(frame) {
                    Ok(frame) => (frame, Ok(())),
                    Err(full) => (self.error_frame(&full), Err(ClientDisconnected)),
                };
                frames.send_timeout(frame, READ_TIMEOUT).await.map_err(|_| ClientDisconnected)?;
                is_counted
            }
            // Each reader keeps its own connection open.
            FrameTarget::Stored(_) => Ok(()),
        }
    }

    /// Builds the last frame of a run whose client does not read its frames.
    fn error_frame(&self, full: &Rejection) -> Bytes {
        let message = full.to_json()["message"].take();
        let event = match self.ui_stream {
            Some(_) => json!({ "type": "error", "errorText": message }),
            None => json!({ "type": "RUN_ERROR", "message": message }),
        };
        encode_frame(&[event]).into()
    }

    /// Keeps an idle connection open.
    pub(crate) async fn keep_alive(&self) -> Result<(), ClientDisconnected> {
        self.send(COMMENT).await
    }

    /// Resolves when the client of the run has disconnected.
    async fn left(&self) {
        match &self.to {
            FrameTarget::Client(frames, _) => frames.closed().await,
            FrameTarget::Stored(_) => std::future::pending().await,
        }
    }

    /// Inserts the existing results of an interrupted run before its last event, if the client needs them.
    pub(crate) fn add_pending_results(&self, message: Option<&Message>, events: &mut Vec<Value>) {
        if let (Some(_), Some(message)) = (&self.ui_stream, message) {
            let at = events.len().saturating_sub(1);
            events.splice(at..at, pending_results(message));
        }
    }

    /// Sends several events in one frame, so that they arrive together.
    pub(crate) async fn send_events(&self, events: Vec<Value>) -> Result<(), ClientDisconnected> {
        if events.is_empty() {
            return Ok(());
        }
        let Some(ui_stream) = &self.ui_stream else {
            return self.send(encode_frame(&events).into()).await;
        };
        let mut parts = Vec::new();
        for event in &events {
            lock(ui_stream).push_event(event, &mut parts);
        }
        let is_end =
            |event: &Value| event["type"] == "RUN_FINISHED" || event["type"] == "RUN_ERROR";
        let is_last = events.last().is_some_and(is_end);
        if let FrameTarget::Stored(stored) = &self.to {
            return stored.write(parts, is_last).await;
        }
        let mut frame = encode_frame(&parts);
        if is_last {
            frame.push_str(DONE);
        }
        self.send(frame.into()).await
    }
}

pub(crate) fn encode_frame(events: &[Value]) -> String {
    let mut frame = String::new();
    for event in events {
        frame.push_str("data: ");
        frame.push_str(&event.to_string());
        frame.push_str("\n\n");
    }
    frame
}

fn as_ui_stream(mut response: Response) -> Response {
    let version = HeaderValue::from_static("v1");
    response.headers_mut().insert("x-vercel-ai-ui-message-stream", version);
    response
}

impl AguiEndpoint {
    /// Starts a run, and returns the response that streams its events. The run is cancelled if the client disconnects,
    /// unless the stream is stored. The client holds its slot until it has read the events.
    pub(crate) async fn stream<D, F>(
        self: &Arc<Self>,
        stream: NewStream,
        drive: D,
    ) -> Result<Response, Rejection>
    where
        D: FnOnce(Arc<Self>, FrameSender) -> F + Send + 'static,
        F: Future<Output = Result<(), ClientDisconnected>> + Send + 'static,
    {
        let NewStream { ids, ui_stream, chat, client, place } = stream;
        let is_ui_stream = ui_stream.is_some();
        let ui_stream = ui_stream.map(|stream| Arc::new(Mutex::new(stream)));
        let store = self.resumable.as_ref().filter(|_| is_ui_stream);
        let memory = self.gate.frame_memory(client.clone());
        let (to, response, held) = match store {
            None => {
                let (sender, receiver) = mpsc::channel(FRAMES);
                (FrameTarget::Client(sender, memory), frames_response(receiver, place), None)
            }
            Some(streams) => {
                let opened = streams.open(chat, client).await;
                let (stored, reader) = opened.map_err(|error| self.gate.mask_error(error))?;
                // The run and its first reader share a slot until both have ended.
                let place = Arc::new(place);
                let held = (Arc::clone(&place), self.gate.count_run());
                (
                    FrameTarget::Stored(Arc::new(stored)),
                    read_stream(reader, place, memory),
                    Some(held),
                )
            }
        };
        let (endpoint, sender) = (Arc::clone(self), FrameSender { to, ui_stream });
        tokio::spawn(async move {
            let _held = held;
            let exposes_errors = endpoint.gate.exposes_errors;
            let driven = AssertUnwindSafe(drive(endpoint, sender.clone())).catch_unwind();
            tokio::select! {
                driven = driven => {
                    if driven.is_err() {
                        let event = ids.failure_event(CoreError::from(E::Panicked), exposes_errors);
                        let _ = sender.send_events(vec![event]).await;
                    }
                }
                // Dropping the run cancels it.
                () = sender.left() => tracing::debug!("the client disconnected; the run is cancelled"),
            }
        });
        Ok(if is_ui_stream { as_ui_stream(response) } else { response })
    }

    /// Handles a request of the AI SDK for the stream of a chat. Responds with 204 if no run of the chat is active.
    pub(crate) async fn resume_stream(&self, chat: &str, request: Request) -> Response {
        let resumed = |admitted: AdmittedRequest| async move {
            let chat = Binding::new(&admitted.owner, chat);
            let found = match &self.resumable {
                Some(streams) => {
                    streams.find(&chat).await.map_err(|error| self.gate.mask_error(error))?
                }
                None => None,
            };
            Ok(match found {
                Some(reader) => {
                    let memory = self.gate.frame_memory(admitted.client);
                    as_ui_stream(read_stream(reader, Arc::new(admitted.place), memory))
                }
                None => StatusCode::NO_CONTENT.into_response(),
            })
        };
        self.gate.answer_reader(request, self.name.clone(), resumed).await
    }

    /// Drives a run, and sends its events.
    pub(crate) async fn drive(
        &self,
        admitted: AdmittedRun,
        sender: &FrameSender,
    ) -> Result<(), ClientDisconnected> {
        let AdmittedRun { run, ids, binding, known_calls, carrier, page_tools, agents } = admitted;
        let mut encoder = Encoder::new(&ids.run, known_calls, agents);
        sender.send_events(vec![ids.started_event()]).await?;
        let deadline = Instant::now() + self.timeout;
        let mut chunks = run.stream();
        let failed = loop {
            let next = tokio::select! {
                next = chunks.next() => next,
                () = self.gate.end.cancelled() => break E::ShuttingDown.into(),
                () = tokio::time::sleep_until(deadline) => break E::Overdue(self.timeout).into(),
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    sender.keep_alive().await?;
                    continue;
                }
            };
            match next {
                Some(Ok(chunk)) => {
                    encoder.push_chunk(chunk);
                    sender.send_events(encoder.take_events()).await?;
                }
                Some(Err(error)) => break error,
                None => {
                    let response = match chunks.response().await {
                        Ok(response) => response,
                        Err(error) => break error,
                    };
                    let (ledger, carrier) = (&self.ledger, carrier.as_deref());
                    let mut last =
                        ids.ended(&response, &mut encoder, carrier, ledger, &binding, &page_tools);
                    sender.add_pending_results(response.message.as_ref(), &mut last);
                    return sender.send_events(last).await;
                }
            }
        };
        encoder.end_step();
        let mut events = encoder.take_events();
        let last = ids.failure_event(failed, self.gate.exposes_errors);
        events.extend(encoder.end_agents(&last));
        events.push(last);
        sender.send_events(events).await
    }
}
