//! Streams of runs that this process performs, for clients that follow them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::broadcast;

use genkit_core::internal::sync::lock;
use genkit_core::{GenerateChunk, RunId};
use genkit_model::ChunkSink;

/// The number of events that are buffered for a slow client. Default is 256; a client that falls further behind misses
/// chunks, but no messages.
const BUFFERED_EVENTS: usize = 256;

/// An event of a run that this process performs.
#[derive(Clone)]
pub enum LiveEvent {
    /// A part of the message that is being written.
    Chunk(Box<GenerateChunk>),
    /// The run was saved with this number of messages.
    Saved(usize),
}

/// The clients that follow runs of this process.
#[derive(Clone, Default)]
pub struct LiveStreams(Arc<Mutex<HashMap<RunId, broadcast::Sender<LiveEvent>>>>);

impl LiveStreams {
    /// Follows a run.
    pub fn follow_run(&self, id: &RunId) -> broadcast::Receiver<LiveEvent> {
        let mut streams = lock(&self.0);
        streams.retain(|_, sender| sender.receiver_count() > 0);
        let stream = streams.entry(id.clone());
        stream.or_insert_with(|| broadcast::Sender::new(BUFFERED_EVENTS)).subscribe()
    }

    /// Returns the sink for the chunks of a run. It discards the chunks if no client follows the run.
    pub fn chunk_sink(&self, id: &RunId) -> ChunkSink {
        let sender = lock(&self.0).get(id).filter(|sender| sender.receiver_count() > 0).cloned();
        sender.map_or_else(ChunkSink::none, |sender| {
            // `send` fails only if the last client has disconnected.
            ChunkSink::new(move |chunk| drop(sender.send(LiveEvent::Chunk(Box::new(chunk)))))
        })
    }

    /// Notifies the clients that the run was saved with this number of messages.
    pub fn note_saved(&self, id: &RunId, messages: usize) {
        if let Some(sender) = lock(&self.0).get(id) {
            drop(sender.send(LiveEvent::Saved(messages)));
        }
    }
}
