//! The streams of a session that its client can resume.

use std::sync::Arc;

use tokio::time::Instant;

use super::EventStream;

/// The maximum number of finished streams that a session keeps. Default is 8.
const MAX_FINISHED: usize = 8;

/// The maximum number of bytes in finished streams that a session keeps. The newest one is kept regardless of its size.
/// Default is 256 KiB.
const MAX_FINISHED_BYTES: usize = 256 * 1024;

/// The time that a finished stream is kept, in milliseconds. Default is 1 minute.
const KEPT: u64 = 60_000;

/// The streams of one session, the oldest first.
#[derive(Default)]
pub(in super::super) struct RetainedStreams {
    streams: Vec<RetainedStream>,
    last: u64,
}

struct RetainedStream {
    number: u64,
    stream: Arc<EventStream>,
    /// The time at which the stream was first found to be finished, in milliseconds.
    finished: Option<u64>,
}

impl RetainedStreams {
    /// Retains a stream and returns its number for [`find`](Self::find).
    pub(in super::super) fn keep_stream(&mut self, stream: &Arc<EventStream>, now: u64) -> u64 {
        let number = self.last + 1;
        self.keep_as(number, stream, now);
        number
    }

    /// Retains a stream under a unique number.
    pub(in super::super) fn keep_as(&mut self, number: u64, stream: &Arc<EventStream>, now: u64) {
        self.forget_excess(now);
        self.last = number;
        stream.make_resumable(number);
        self.streams.push(RetainedStream { number, stream: Arc::clone(stream), finished: None });
    }

    pub(in super::super) fn find(&self, number: u64) -> Option<Arc<EventStream>> {
        let found = self.streams.iter().find(|kept| kept.number == number);
        found.map(|kept| Arc::clone(&kept.stream))
    }

    /// Returns the number of requests that wait for an answer from the client and have no reader,
    /// and the time at which the last reader disconnected.
    pub(in super::super) fn count_waiting(&self) -> (usize, Option<Instant>) {
        let left = self.streams.iter().filter_map(|kept| kept.stream.waits_since());
        left.fold((0, None), |(count, last), left| (count + 1, last.max(Some(left))))
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    /// Discards the streams that exceed the limits, the oldest first.
    pub(in super::super) fn forget_excess(&mut self, now: u64) {
        let (mut count, mut bytes) = (0, 0);
        for kept in self.streams.iter_mut().rev() {
            if kept.finished.is_none() && kept.stream.is_finished() {
                kept.finished = Some(now);
            }
        }
        let mut keep: Vec<bool> = Vec::with_capacity(self.streams.len());
        for kept in self.streams.iter().rev() {
            let Some(finished) = kept.finished else {
                keep.push(true);
                continue;
            };
            count += 1;
            bytes += kept.stream.kept_bytes();
            let fits = count <= MAX_FINISHED && (bytes <= MAX_FINISHED_BYTES || count == 1);
            keep.push(fits && now.saturating_sub(finished) <= KEPT);
        }
        let mut keep = keep.into_iter().rev();
        self.streams.retain(|_| keep.next().unwrap_or(true));
        if self.streams.is_empty() {
            self.streams = Vec::new();
        }
    }
}
