//! The bounded queue between the program and the sender thread. Only `flush` waits for it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Url;
use tokio::sync::{Notify, oneshot};

use genkit_core::internal::sync::lock;
use genkit_core::internal::trace::SpanRecord;

/// The maximum number of spans in the queue. Default is 4,096.
const MAX_SPANS: usize = 4_096;

/// The maximum size of the queue. Default is 64 MiB.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The time limit of `flush`. Default is 2 seconds.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The queue of spans to send.
#[derive(Clone)]
pub(super) struct Queue(Arc<QueueState>);

struct QueueState {
    waiting: Mutex<SpanBuffer>,
    pushed: Notify,
    /// Set if the server did not respond in time. `flush` returns immediately until the server responds again.
    is_stuck: AtomicBool,
}

struct SpanBuffer {
    spans: VecDeque<SpanRecord>,
    bytes: usize,
    flushes: Vec<oneshot::Sender<()>>,
    server: Url,
    has_dropped: bool,
}

/// The spans of one iteration of the sender, and the `flush` calls that wait for them.
pub(super) struct Batch {
    pub(super) spans: Vec<SpanRecord>,
    pub(super) server: Url,
    pub(super) flushes: Vec<oneshot::Sender<()>>,
}

impl Queue {
    pub(super) fn new(server: Url) -> Self {
        let waiting = SpanBuffer {
            spans: VecDeque::new(),
            bytes: 0,
            flushes: Vec::new(),
            server,
            has_dropped: false,
        };
        Self(Arc::new(QueueState {
            waiting: Mutex::new(waiting),
            pushed: Notify::new(),
            is_stuck: AtomicBool::new(false),
        }))
    }

    pub(super) fn send_to(&self, server: Url) {
        lock(&self.0.waiting).server = server;
        self.0.is_stuck.store(false, Ordering::Relaxed);
    }

    /// Adds a span. If the queue is full, drops the span and logs a warning once.
    pub(super) fn push_span(&self, span: SpanRecord) {
        let bytes = estimate_size(&span);
        let mut waiting = lock(&self.0.waiting);
        if waiting.spans.len() >= MAX_SPANS || waiting.bytes + bytes > MAX_BYTES {
            let is_first = !std::mem::replace(&mut waiting.has_dropped, true);
            drop(waiting);
            if is_first {
                tracing::warn!(
                    spans = MAX_SPANS,
                    bytes = MAX_BYTES,
                    "the telemetry server is too slow, so spans are dropped"
                );
            }
            return;
        }
        waiting.bytes += bytes;
        waiting.spans.push_back(span);
        drop(waiting);
        self.0.pushed.notify_one();
    }

    /// Waits until everything in the queue is sent, for a limited time.
    pub(super) async fn flush(&self) {
        if self.0.is_stuck.load(Ordering::Relaxed) {
            return;
        }
        let (done, sent) = oneshot::channel();
        lock(&self.0.waiting).flushes.push(done);
        self.0.pushed.notify_one();
        if tokio::time::timeout(FLUSH_TIMEOUT, sent).await.is_err() {
            self.0.is_stuck.store(true, Ordering::Relaxed);
        }
    }

    /// Waits until the queue is not empty, and takes its content.
    pub(super) async fn next(&self) -> Batch {
        loop {
            {
                let mut waiting = lock(&self.0.waiting);
                if !waiting.spans.is_empty() || !waiting.flushes.is_empty() {
                    waiting.bytes = 0;
                    return Batch {
                        spans: std::mem::take(&mut waiting.spans).into(),
                        server: waiting.server.clone(),
                        flushes: std::mem::take(&mut waiting.flushes),
                    };
                }
            }
            self.0.pushed.notified().await;
        }
    }

    /// Records that the server accepted a request.
    pub(super) fn mark_sent(&self) {
        self.0.is_stuck.store(false, Ordering::Relaxed);
        lock(&self.0.waiting).has_dropped = false;
    }
}

/// Returns the approximate size of a span, which consists mostly of its values.
fn estimate_size(span: &SpanRecord) -> usize {
    let values = span.attributes.iter();
    let values = values.map(|(key, value)| key.len() + value.as_str().map_or(8, str::len));
    let failure = span.failure.as_ref().map_or(0, |why| why.message.len() + why.chain.len());
    256 + span.name.len() + values.sum::<usize>() + failure
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use genkit_core::internal::trace::{SpanId, TraceId};

    fn span(value: usize) -> SpanRecord {
        let mut attributes = Map::new();
        attributes.insert("genkit:input".into(), "x".repeat(value).into());
        SpanRecord {
            trace_id: TraceId::random(),
            span_id: SpanId::random(),
            parent: None,
            name: "f".into(),
            start: 1.0,
            end: 2.0,
            attributes,
            failure: None,
        }
    }

    fn queue() -> Queue {
        Queue::new("http://localhost:9".parse().unwrap())
    }

    #[tokio::test]
    async fn full_queue_drops() {
        let queue = queue();
        for _ in 0..MAX_SPANS + 7 {
            queue.push_span(span(1));
        }
        assert_eq!(queue.next().await.spans.len(), MAX_SPANS);
        queue.push_span(span(1));
        assert_eq!(queue.next().await.spans.len(), 1, "there is room again");
    }

    #[tokio::test]
    async fn many_bytes_fill_it_too() {
        let queue = queue();
        for _ in 0..80 {
            queue.push_span(span(1024 * 1024));
        }
        let sent = queue.next().await.spans.len();
        assert!((60..64).contains(&sent), "{sent}");
    }

    #[tokio::test(start_paused = true)]
    async fn flush_waits_briefly_and_only_once() {
        let queue = queue();
        let begun = tokio::time::Instant::now();
        queue.flush().await;
        assert_eq!(begun.elapsed(), FLUSH_TIMEOUT);
        queue.flush().await;
        assert_eq!(begun.elapsed(), FLUSH_TIMEOUT);
    }
}
