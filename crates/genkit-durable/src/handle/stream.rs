//! A stream of the events of a run: messages from the store, and the message in progress from this process.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;

use super::{DurableRun, Handle};
use crate::limits::WATCH;
use crate::outcome::{into_response, wrong_kind_error};
use crate::record::RunBody;
use genkit_agent::internal::LiveEvent;
use genkit_core::{GenerateChunk, Message, Result, RunStatus};

/// An event of a run, from [`DurableRun::stream`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunEvent {
    /// A part of the message in progress, if this process performs the run. If the step fails or its process ends, the
    /// message starts again from its first chunk.
    Chunk(GenerateChunk),
    /// A complete and saved message of the conversation, with its index.
    Message(usize, Message),
}

/// A stream of the events of a run, created by [`DurableRun::stream`].
#[derive(Debug)]
#[must_use = "a stream does nothing until it is read"]
pub struct RunStream {
    handle: Handle,
    live: broadcast::Receiver<LiveEvent>,
    /// The index of the next message.
    next: usize,
    /// Messages that were read but not yet returned, with their indexes.
    pending: VecDeque<(usize, Message)>,
    /// The chunks of all messages before this index have been returned.
    due: usize,
    /// The revision that was read last.
    revision: u64,
    is_over: bool,
}

impl DurableRun {
    /// Follows the run: returns a stream of its messages, starting at `index`, and of the chunks of the message in
    /// progress. Pass 0 to receive the whole conversation. After a reconnect, continue with the index after the last
    /// message that you received.
    ///
    /// Messages are read from the store, so any process can follow any run. Chunks are only available in the process
    /// that performs the run, starting with its next step. The stream ends when the run finishes or is interrupted. It
    /// does not perform steps: run a worker, or call [`wait`](Self::wait) at the same time.
    ///
    /// ```
    /// use genkit::durable::{FolderStore, RunEvent};
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{Genkit, Registry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// # let folder = std::env::temp_dir().join(format!("genkit-stream-{}", std::process::id()));
    /// let genkit = Genkit::builder()
    ///     .registry(Registry::new())
    ///     .default_model(ScriptedModel::streaming(["one ", "two"]))
    ///     .durable(FolderStore::open(&folder)?)
    ///     .build()?;
    /// let run = genkit.durable_run("r", genkit.generate("Count.")).await?;
    /// let mut stream = run.stream(1);
    /// let follow = async {
    ///     while let Some(event) = stream.next().await? {
    ///         match event {
    ///             RunEvent::Chunk(chunk) => print!("{}", chunk.text()),
    ///             RunEvent::Message(index, message) => assert_eq!((index, &*message.text()), (1, "one two")),
    ///             _ => {}
    ///         }
    ///     }
    ///     Ok(())
    /// };
    /// tokio::try_join!(follow, run.wait())?;
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(&self, index: usize) -> RunStream {
        let Handle { genkit, id, .. } = &self.0;
        RunStream {
            live: genkit.runs.streams.follow_run(id),
            handle: self.0.clone(),
            next: index,
            pending: VecDeque::new(),
            due: 0,
            revision: 0,
            is_over: false,
        }
    }
}

impl RunStream {
    /// Returns the next event, or `None` at the end.
    ///
    /// # Errors
    /// Returns `NotFound` if the run was deleted, `FailedPrecondition` for a flow, and any error from the store. You
    /// can call `next` again after an error.
    pub async fn next(&mut self) -> Result<Option<RunEvent>> {
        let mut pause = Duration::from_millis(10);
        loop {
            if self.pending.front().is_some_and(|(index, _)| *index < self.due)
                && let Some((index, message)) = self.pending.pop_front()
            {
                return Ok(Some(RunEvent::Message(index, message)));
            }
            // The chunks of a message arrive before the message, and the run is saved before the next message starts.
            match self.live.try_recv() {
                Ok(event) => match self.accept_event(event).await? {
                    Some(chunk) => return Ok(Some(chunk)),
                    None => continue,
                },
                // Chunks were lost, but the messages are read from the store.
                Err(TryRecvError::Lagged(_)) => continue,
                Err(TryRecvError::Empty | TryRecvError::Closed) => {}
            }
            if let Some((last, _)) = self.pending.back() {
                self.due = last + 1;
                continue;
            }
            if self.is_over {
                return Ok(None);
            }
            if self.read_messages().await? {
                continue;
            }
            tokio::select! {
                biased;
                event = self.live.recv() => {
                    if let Ok(event) = event
                        && let Some(chunk) = self.accept_event(event).await?
                    {
                        return Ok(Some(chunk));
                    }
                }
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(WATCH),
            }
        }
    }

    /// Handles an event from this process. Returns the chunk, or reads the new messages after the run was saved.
    async fn accept_event(&mut self, event: LiveEvent) -> Result<Option<RunEvent>> {
        match event {
            LiveEvent::Chunk(chunk) => Ok(Some(RunEvent::Chunk(*chunk))),
            LiveEvent::Saved(messages) => {
                self.read_messages().await?;
                self.due = self.due.max(messages);
                Ok(None)
            }
        }
    }

    /// Reads the messages of a new revision. Returns whether there was one.
    async fn read_messages(&mut self) -> Result<bool> {
        let head = self.handle.peek_head().await?;
        if head.revision == self.revision {
            return Ok(false);
        }
        let (stored, record) = self.handle.load_run().await?;
        let RunBody::Generate(state) = record.body else {
            return Err(wrong_kind_error(self.handle.id(), &record.body, "a run of `durable_run`"));
        };
        let (status, id) = (stored.at.status, self.handle.id());
        let messages = match status {
            RunStatus::Working => state.messages().to_vec(),
            // The last message is part of the response.
            _ => match into_response(id, self.handle.registry(), status, record.error, *state) {
                Ok(response) => response.messages().to_vec(),
                Err(error) => error.partial().map(|it| it.messages().to_vec()).unwrap_or_default(),
            },
        };
        let (from, saved) = (self.next, messages.len());
        self.pending.extend(messages.into_iter().enumerate().skip(from));
        self.next = from.max(saved);
        self.revision = stored.at.revision;
        self.is_over = status != RunStatus::Working;
        Ok(true)
    }
}
