//! Running actions, by trace id. Each is a future with a buffer of its chunks.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::status::ErrorStatus;
use crate::error::Error as E;
use genkit_core::BoxFuture;
use genkit_core::internal::sync::lock;
use genkit_core::internal::trace;
use genkit_core::internal::trace::Root;
use genkit_core::{Error, Result};
use genkit_schema::internal::size::json_size;

/// The maximum number of actions that run at once for the developer tools. Default is 256.
const MAX_RUNNING: usize = 256;

/// The maximum size of the chunks that an action can send without waiting, in bytes of JSON. Default is 16 MiB.
const MAX_QUEUED: usize = 16 * 1024 * 1024;

/// The running actions, by the id of their trace.
#[derive(Default)]
pub(super) struct RunningActions(Mutex<HashMap<String, CancellationToken>>);

impl RunningActions {
    /// Cancels an action. Returns whether it was running.
    pub(super) fn cancel_run(&self, trace_id: &str) -> bool {
        let token = lock(&self.0).get(trace_id).cloned();
        token.inspect(CancellationToken::cancel).is_some()
    }

    fn register(self: &Arc<Self>, trace_id: &str) -> Result<(Entry, CancellationToken), E> {
        let mut running = lock(&self.0);
        if running.len() >= MAX_RUNNING {
            return Err(E::TooMany { running: running.len() });
        }
        let token = CancellationToken::new();
        running.insert(trace_id.to_owned(), token.clone());
        Ok((Entry { running: Arc::clone(self), trace_id: trace_id.to_owned() }, token))
    }
}

/// The entry of a running action; removed on drop.
struct Entry {
    running: Arc<RunningActions>,
    trace_id: String,
}

impl Drop for Entry {
    fn drop(&mut self) {
        lock(&self.running.0).remove(&self.trace_id);
    }
}

/// The chunks that have not been read yet.
#[derive(Clone, Default)]
pub(super) struct UnreadChunks(Arc<Mutex<ChunkBuffer>>);

#[derive(Default)]
struct ChunkBuffer {
    chunks: VecDeque<Value>,
    bytes: usize,
}

impl UnreadChunks {
    pub(super) fn push_chunk(&self, chunk: Value) {
        let mut queued = lock(&self.0);
        queued.bytes += json_size(&chunk);
        // Exceeding the limit ends the run: see `ActionRun::next`.
        if queued.bytes <= MAX_QUEUED {
            queued.chunks.push_back(chunk);
        }
    }

    fn pop_chunk(&self) -> Option<Value> {
        let mut queued = lock(&self.0);
        let chunk = queued.chunks.pop_front();
        if queued.chunks.is_empty() && queued.bytes <= MAX_QUEUED {
            queued.bytes = 0;
        }
        chunk
    }

    fn is_over(&self) -> bool {
        lock(&self.0).bytes > MAX_QUEUED
    }
}

/// An event of a run: a chunk, or the end of the run.
#[derive(Debug, PartialEq)]
pub(crate) enum RunEvent {
    Chunk(Value),
    End(Result<Value, ErrorStatus>),
}

/// An action that makes progress while its events are read, and is cancelled on drop.
pub(crate) struct ActionRun {
    key: String,
    trace_id: String,
    span_id: String,
    work: Option<BoxFuture<'static, Result<Value, ErrorStatus>>>,
    chunks: UnreadChunks,
    _entry: Entry,
}

impl ActionRun {
    /// Creates a run of `work` in the trace of `root`. Its chunks are read from `chunks`.
    pub(super) fn new(
        running: &Arc<RunningActions>,
        key: String,
        root: Root,
        chunks: UnreadChunks,
        work: BoxFuture<'static, Result<Value>>,
    ) -> Result<Self> {
        let (trace_id, span_id) = (root.trace_id.to_string(), root.span_id.to_string());
        let (entry, cancelled) = running.register(&trace_id)?;
        let of_trace = trace_id.clone();
        let work = async move {
            // Yield first, so that the reader receives the id of the trace before the function runs.
            tokio::task::yield_now().await;
            let ended = tokio::select! {
                biased;
                () = cancelled.cancelled() => Err(Error::from(E::Cancelled)),
                ended = trace::under_root(root, work) => ended,
            };
            trace::flush().await;
            ended.map_err(|error| ErrorStatus::from_error(&error, Some(&of_trace)))
        };
        Ok(Self { key, trace_id, span_id, work: Some(Box::pin(work)), chunks, _entry: entry })
    }

    pub(crate) fn trace_id(&self) -> &str {
        &self.trace_id
    }

    pub(crate) fn span_id(&self) -> &str {
        &self.span_id
    }

    /// Returns the next event, or `None` after the end.
    pub(crate) async fn next(&mut self) -> Option<RunEvent> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<RunEvent>> {
        if let Some(chunk) = self.chunks.pop_chunk() {
            return Poll::Ready(Some(RunEvent::Chunk(chunk)));
        }
        let Some(work) = &mut self.work else { return Poll::Ready(None) };
        let ended = work.as_mut().poll(cx);
        if self.chunks.is_over() {
            self.work = None;
            let error = E::ChunksTooFast { key: self.key.clone(), limit: MAX_QUEUED };
            let status = ErrorStatus::from_error(&error.into(), Some(&self.trace_id));
            return Poll::Ready(Some(RunEvent::End(Err(status))));
        }
        match (self.chunks.pop_chunk(), ended) {
            (None, Poll::Pending) => Poll::Pending,
            (None, Poll::Ready(ended)) => {
                self.work = None;
                Poll::Ready(Some(RunEvent::End(ended)))
            }
            (Some(chunk), Poll::Pending) => Poll::Ready(Some(RunEvent::Chunk(chunk))),
            (Some(chunk), Poll::Ready(ended)) => {
                // The work is done; return its remaining chunks first.
                self.work = Some(Box::pin(std::future::ready(ended)));
                Poll::Ready(Some(RunEvent::Chunk(chunk)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn start_action(
        running: &Arc<RunningActions>,
        work: impl FnOnce(UnreadChunks) -> BoxFuture<'static, Result<Value>>,
    ) -> Result<ActionRun> {
        let chunks = UnreadChunks::default();
        let work = work(chunks.clone());
        ActionRun::new(running, "/flow/x".to_owned(), Root::new(), chunks, work)
    }

    #[tokio::test]
    async fn chunks_come_as_they_are_sent_and_then_the_end() {
        let running = Arc::default();
        let mut run = start_action(&running, |chunks| {
            Box::pin(async move {
                chunks.push_chunk(json!(1));
                tokio::task::yield_now().await;
                chunks.push_chunk(json!(2));
                chunks.push_chunk(json!(3));
                Ok(json!("done"))
            })
        })
        .unwrap();
        for chunk in 1..=3 {
            assert_eq!(run.next().await, Some(RunEvent::Chunk(json!(chunk))));
        }
        assert_eq!(run.next().await, Some(RunEvent::End(Ok(json!("done")))));
        assert_eq!(run.next().await, None);
    }

    #[tokio::test]
    async fn run_is_cancelled_by_its_trace_and_its_future_is_dropped() {
        let running = Arc::<RunningActions>::default();
        let (alive, dropped) = tokio::sync::oneshot::channel::<()>();
        let mut run = start_action(&running, |_| {
            Box::pin(async move {
                let _alive = alive;
                std::future::pending().await
            })
        })
        .unwrap();
        let trace_id = run.trace_id().to_owned();
        assert!(!running.cancel_run("another"));
        assert!(running.cancel_run(&trace_id));
        let Some(RunEvent::End(Err(status))) = run.next().await else {
            panic!("it continues to run")
        };
        assert_eq!((status.code, &*status.message), (1, "Action was cancelled"));
        assert_eq!(status.details["traceId"], *trace_id);
        assert!(dropped.await.is_err(), "the future is dropped");
        drop(run);
        assert!(!running.cancel_run(&trace_id), "it is no longer registered");
    }

    #[tokio::test]
    async fn run_above_the_limit_is_rejected_until_one_ends() {
        let running = Arc::default();
        let pending = || start_action(&running, |_| Box::pin(std::future::pending()));
        let mut runs: Vec<_> = (0..MAX_RUNNING).map(|_| pending().unwrap()).collect();
        let error = pending().err().unwrap();
        assert_eq!(error.kind(), genkit_core::ErrorKind::ResourceExhausted);
        runs.pop();
        assert!(pending().is_ok());
    }

    #[tokio::test]
    async fn flood_of_chunks_ends_the_run_instead_of_the_memory() {
        let chunks = UnreadChunks::default();
        chunks.push_chunk("x".repeat(MAX_QUEUED - 2).into());
        assert!(!chunks.is_over());
        let running = Arc::default();
        let more = chunks.clone();
        let work = Box::pin(async move {
            more.push_chunk(json!(1));
            Ok(Value::Null)
        });
        let key = "/flow/x".to_owned();
        let mut run = ActionRun::new(&running, key, Root::new(), chunks.clone(), work).unwrap();
        assert!(matches!(run.next().await, Some(RunEvent::Chunk(_))));
        assert_eq!(
            run.next().await,
            Some(RunEvent::Chunk(json!(1))),
            "read chunks no longer count"
        );
        assert_eq!(run.next().await, Some(RunEvent::End(Ok(Value::Null))));

        let flood = chunks.clone();
        let work = Box::pin(async move {
            flood.push_chunk("x".repeat(MAX_QUEUED - 1).into());
            Ok(Value::Null)
        });
        let mut run =
            ActionRun::new(&running, "/flow/x".to_owned(), Root::new(), chunks, work).unwrap();
        let Some(RunEvent::End(Err(status))) = run.next().await else { panic!("no end") };
        assert_eq!(status.code, 8);
    }
}
