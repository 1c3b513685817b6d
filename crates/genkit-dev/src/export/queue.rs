//! The queue between what runs and the thread that sends: bounded, and never waited for but in `flush`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Url;
use tokio::sync::{Notify, oneshot};

use genkit_core::internal::sync::lock;
use genkit_core::internal::trace::SpanRecord;

/// How many spans wait to be sent. Default is 4,096.
const MAX_SPANS: usize = 4_096;

/// How much waits to be sent. Default is 64 MiB.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// How long `flush` waits. Default is 2 seconds.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// What waits to be sent.
#[derive(Clone)]
pub(super) struct Queue(Arc<Shared>);

struct Shared {
    waiting: Mutex<Waiting>,
    pushed: Notify,
    /// The server did not answer in time: nobody waits for it until it does.
    is_stuck: AtomicBool,
}

struct Waiting {
    spans: VecDeque<SpanRecord>,
    bytes: usize,
    flushes: Vec<oneshot::Sender<()>>,
    server: Url,
    has_dropped: bool,
}

/// What is sent at once, and who waits for that.
pub(super) struct Batch {
    pub(super) spans: Vec<SpanRecord>,
    pub(super) server: Url,
    pub(super) flushes: Vec<oneshot::Sender<()>>,
}

impl Queue {
    pub(super) fn new(server: Url) -> Self {
        let waiting = Waiting {
            spans: VecDeque::new(),
            bytes: 0,
            flushes: Vec::new(),
            server,
            has_dropped: false,
        };
        Self(Arc::new(Shared {
            waiting: Mutex::new(waiting),
            pushed: Notify::new(),
            is_stuck: AtomicBool::new(false),
        }))
    }

    pub(super) fn send_to(&self, server: Url) {
        lock(&self.0.waiting).server = server;
        self.0.is_stuck.store(false, Ordering::Relaxed);
    }

    /// Adds a span; a full queue drops it and says so once.
    pub(super) fn push(&self, span: SpanRecord) {
        let bytes = size(&span);
        let mut waiting = lock(&self.0.waiting);
        if waiting.spans.len() >= MAX_SPANS || waiting.bytes + bytes > MAX_BYTES {
            let is_first = !std::mem::replace(&mut waiting.has_dropped, true);
            drop(waiting);
            if is_first {
                tracing::warn!(
                    spans = MAX_SPANS,
                    bytes = MAX_BYTES,
                    "the telemetry server is slower than the program, and spans are dropped"
                );
            }
            return;
        }
        waiting.bytes += bytes;
        waiting.spans.push_back(span);
        drop(waiting);
        self.0.pushed.notify_one();
    }

    /// Waits until all that is in it was sent, or for a limited time.
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

    /// All that waits, once there is something.
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

    /// The server took something.
    pub(super) fn sent(&self) {
        self.0.is_stuck.store(false, Ordering::Relaxed);
        lock(&self.0.waiting).has_dropped = false;
    }
}

/// About how much a span is; its values are most of it.
fn size(span: &SpanRecord) -> usize {
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
    async fn a_full_queue_drops() {
        let queue = queue();
        for _ in 0..MAX_SPANS + 7 {
            queue.push(span(1));
        }
        assert_eq!(queue.next().await.spans.len(), MAX_SPANS);
        queue.push(span(1));
        assert_eq!(queue.next().await.spans.len(), 1, "there is room again");
    }

    #[tokio::test]
    async fn many_bytes_fill_it_too() {
        let queue = queue();
        for _ in 0..80 {
            queue.push(span(1024 * 1024));
        }
        let sent = queue.next().await.spans.len();
        assert!((60..64).contains(&sent), "{sent}");
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_long_and_the_second_not_at_all() {
        let queue = queue();
        let begun = tokio::time::Instant::now();
        queue.flush().await;
        assert_eq!(begun.elapsed(), FLUSH_TIMEOUT);
        queue.flush().await;
        assert_eq!(begun.elapsed(), FLUSH_TIMEOUT);
    }
}
