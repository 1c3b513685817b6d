//! Resumable streams of the AI SDK: a run continues without its client, and clients can reconnect to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use genkit_core::Result;
use genkit_core::internal::sync::lock;
use genkit_core::internal::warnings::WarningBudget;
use genkit_flows::internal::{FrameMemory, frames_response};
use genkit_flows::{MemoryStreams, StreamEvent, StreamReader, StreamStore as _, StreamWriter};
use genkit_http_server::internal::FairPermit;

use crate::ledger::Binding;
use crate::run::{ClientDisconnected, FRAMES, KEEP_ALIVE, READ_TIMEOUT, encode_frame};

/// The maximum stored size of a stream, in bytes of JSON. Files from a model must fit. Default is 16 MiB.
const MAX_STREAM_BYTES: usize = 16 * 1024 * 1024;

/// The last frame of an AI SDK stream.
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// The comment that keeps an idle connection open.
pub(crate) const COMMENT: Bytes = Bytes::from_static(b": keep-alive\n\n");

/// The streams of the active runs.
pub(crate) struct ResumableStreams {
    store: MemoryStreams,
    running: Mutex<HashMap<Binding, RunningStream>>,
}

#[derive(Clone)]
struct RunningStream {
    id: String,
    /// The client whose share of the memory the stream uses.
    client: String,
}

/// The stream of a run. Clients can find the stream until this value is dropped.
pub(crate) struct ResumableStream {
    streams: Arc<ResumableStreams>,
    chat: Binding,
    id: String,
    writer: tokio::sync::Mutex<Box<dyn StreamWriter>>,
}

impl ResumableStreams {
    pub(crate) fn new(max_streams: usize) -> Arc<Self> {
        // A stream that has ended can no longer be found.
        let store = MemoryStreams::new().ttl(Duration::ZERO).max_streams(max_streams);
        let store = store.max_bytes(MAX_STREAM_BYTES);
        Arc::new(Self { store, running: Mutex::default() })
    }

    /// Opens the stream of a run of this chat and its first reader. Clients find it instead of the stream of an earlier
    /// run.
    pub(crate) async fn open(
        self: &Arc<Self>,
        chat: Binding,
        client: String,
    ) -> Result<(ResumableStream, Box<dyn StreamReader>)> {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let writer = self.store.open(&id, &client).await?;
        let reader = self.store.subscribe(&id, &client, 0).await?;
        let reader = reader.expect("a stream that has not ended is kept");
        let running = RunningStream { id: id.clone(), client };
        lock(&self.running).insert(chat.clone(), running);
        let streams = Arc::clone(self);
        Ok((ResumableStream { streams, chat, id, writer: writer.into() }, reader))
    }

    /// Returns a reader of the stream of this chat from its beginning. Returns `None` if no run of the chat is active.
    pub(crate) async fn find(&self, chat: &Binding) -> Result<Option<Box<dyn StreamReader>>> {
        let Some(RunningStream { id, client }) = lock(&self.running).get(chat).cloned() else {
            return Ok(None);
        };
        self.store.subscribe(&id, &client, 0).await
    }
}

impl ResumableStream {
    /// Stores the parts of a frame. A run whose stream cannot be stored is stopped.
    pub(crate) async fn write(
        &self,
        parts: Vec<Value>,
        is_last: bool,
    ) -> Result<(), ClientDisconnected> {
        let parts = Value::Array(parts);
        let event = if is_last { StreamEvent::Result(parts) } else { StreamEvent::Chunk(parts) };
        let written = self.writer.lock().await.write(event).await;
        written.map_err(|error| {
            static WARNINGS: WarningBudget = WarningBudget::new();
            if let Some(warnings) = WARNINGS.count_warning() {
                tracing::warn!(warnings, %error, "cannot store the stream of a chat; its run was stopped");
            }
            ClientDisconnected
        })
    }
}

impl Drop for ResumableStream {
    fn drop(&mut self) {
        let mut running = lock(&self.streams.running);
        if running.get(&self.chat).is_some_and(|newest| newest.id == self.id) {
            running.remove(&self.chat);
        }
    }
}

/// Builds the response that sends the stored part of a stream, and then the parts that the run adds. A client that does
/// not read is disconnected; the run continues.
pub(crate) fn read_stream(
    mut reader: Box<dyn StreamReader>,
    place: Arc<FairPermit<String>>,
    memory: FrameMemory,
) -> Response {
    let (sender, receiver) = mpsc::channel(FRAMES);
    tokio::spawn(async move {
        loop {
            let (frame, is_last) = tokio::select! {
                event = reader.next() => match event {
                    Some(Ok(event)) => (frame_of_event(&event), event.is_last()),
                    _ => return,
                },
                () = tokio::time::sleep(KEEP_ALIVE) => (COMMENT, false),
                () = sender.closed() => return,
            };
            // The client can read the stream again.
            let Ok(frame) = memory.count_frame(frame) else { return };
            if sender.send_timeout(frame, READ_TIMEOUT).await.is_err() || is_last {
                return;
            }
        }
    });
    frames_response(receiver, place)
}

fn frame_of_event(event: &StreamEvent) -> Bytes {
    let mut frame = match event {
        StreamEvent::Chunk(parts) | StreamEvent::Result(parts) => {
            encode_frame(parts.as_array().map(Vec::as_slice).unwrap_or_default())
        }
        StreamEvent::Error(error) => {
            encode_frame(&[json!({ "type": "error", "errorText": error["message"] })])
        }
    };
    if event.is_last() {
        frame.push_str(DONE);
    }
    frame.into()
}
