//! Durable streams in the memory of this process.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use super::error::Error as E;
use super::{StreamEvent, StreamReader, StreamStore, StreamWriter};
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::error::Topic;
use genkit_core::internal::fair_share::{Item, can_take, find_greediest, scaled_floor};
use genkit_core::internal::status;
use genkit_core::internal::sync::lock;
use genkit_schema::internal::size::json_size;

/// The time that a stream is kept after its end. Default is 5 minutes.
const STREAM_TTL: Duration = Duration::from_secs(300);

/// The maximum stored size of a stream, in bytes of JSON. Default is 4 MiB.
const MAX_STREAM_BYTES: usize = 4 * 1024 * 1024;

/// The maximum stored size of all streams together, in bytes of JSON. Default is 256 MiB: further events evict ended
/// streams of the client whose ended streams are largest.
const MAX_TOTAL_BYTES: usize = 256 * 1024 * 1024;

/// The maximum number of stored streams. Default is 1,000: a further stream evicts the oldest ended stream of the
/// client with the most ended streams.
const MAX_STREAMS: usize = 1_000;

/// The memory overhead of an event in addition to its JSON, in bytes.
const EVENT_COST: usize = 64;

/// A store of durable streams in the memory of this process, for a single instance and for tests. Its memory use is
/// limited. Clones share the same streams.
///
/// ```
/// use genkit::flows::MemoryStreams;
/// use std::time::Duration;
///
/// let streams = MemoryStreams::new()
///     .max_streams(100)
///     .max_bytes(1024 * 1024)
///     .max_total_bytes(64 * 1024 * 1024)
///     .ttl(Duration::from_secs(60));
/// let server = genkit::serve_flows().stream_store(streams);
/// ```
#[derive(Clone)]
pub struct MemoryStreams {
    kept: Arc<Mutex<HashMap<String, Arc<MemoryStream>>>>,
    /// The size of all stored streams, in bytes.
    bytes: Arc<AtomicUsize>,
    max_streams: usize,
    max_bytes: usize,
    max_total_bytes: usize,
    ttl: Duration,
}

/// The events of one stream.
struct MemoryStream {
    owner: String,
    /// The client that opened the stream. The clients share the limits of the store.
    client: String,
    /// The size of all streams of the store, in bytes.
    total: Arc<AtomicUsize>,
    log: Mutex<StreamLog>,
    /// The number of events.
    count: watch::Sender<usize>,
}

#[derive(Default)]
struct StreamLog {
    events: Vec<StreamEvent>,
    bytes: usize,
    ended: Option<Instant>,
}

impl Default for MemoryStreams {
    fn default() -> Self {
        Self {
            kept: Arc::default(),
            bytes: Arc::default(),
            max_streams: MAX_STREAMS,
            max_bytes: MAX_STREAM_BYTES,
            max_total_bytes: MAX_TOTAL_BYTES,
            ttl: STREAM_TTL,
        }
    }
}

impl MemoryStreams {
    /// Creates a store with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of streams kept at once. Default is 1,000. An additional stream evicts the oldest ended
    /// stream of the client with the most ended streams. It is rejected if all streams are running, or if its client
    /// uses its share.
    pub fn max_streams(mut self, streams: usize) -> Self {
        self.max_streams = streams;
        self
    }

    /// Sets the maximum stored size of a stream, in bytes of JSON. Default is 4 MiB. A stream that exceeds it ends with
    /// an error.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the maximum stored size of all streams together, in bytes of JSON. Default is 256 MiB. Further events evict
    /// ended streams of the client whose ended streams are largest. If too few can be evicted, the stream ends with an
    /// error.
    pub fn max_total_bytes(mut self, bytes: usize) -> Self {
        self.max_total_bytes = bytes;
        self
    }

    /// Sets the time that a stream is kept after its end (time to live). Default is 5 minutes.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    fn open_now(&self, id: &str, owner: &str, client: &str) -> Result<MemoryWriter, E> {
        let mut kept = lock(&self.kept);
        kept.retain(|_, stream| !stream.is_expired(self.ttl));
        if kept.contains_key(id) {
            return Err(E::Known);
        }
        let is_running = |stream: &&Arc<MemoryStream>| stream.ended().is_none();
        let running = kept.values().filter(is_running).count();
        let own = kept.values().filter(|stream| stream.client == client).filter(is_running).count();
        let left = self.max_streams.saturating_sub(running);
        if !can_take(own, 1, left, scaled_floor(self.max_streams)) {
            return Err(E::TooMany(self.max_streams));
        }
        if kept.len() >= self.max_streams {
            match first_to_remove(&kept, |_| 1) {
                Some((first, _)) => kept.remove(&first),
                None => return Err(E::TooMany(self.max_streams)),
            };
        }
        let stream = Arc::new(MemoryStream {
            owner: owner.to_owned(),
            client: client.to_owned(),
            total: Arc::clone(&self.bytes),
            log: Mutex::default(),
            count: watch::Sender::new(0),
        });
        kept.insert(id.to_owned(), Arc::clone(&stream));
        Ok(MemoryWriter { stream, store: self.clone() })
    }

    /// Adds an event to a stream, or ends the stream with an error if its client cannot use more memory.
    fn add(&self, stream: &MemoryStream, event: StreamEvent) -> Result<(), E> {
        let size = json_size(&event).saturating_add(EVENT_COST);
        match self.make_room(&stream.client, size) {
            true => stream.add(event, size, self.max_bytes),
            false => stream.fail(E::Full(self.max_total_bytes)),
        }
    }

    /// Returns whether `client` can store `size` more bytes. To make room, removes ended streams of the client whose
    /// ended streams use the most memory, unless `client` uses more.
    fn make_room(&self, client: &str, size: usize) -> bool {
        let left = || self.max_total_bytes.saturating_sub(self.bytes.load(Relaxed));
        // A client can always use half.
        if left().saturating_sub(size) >= self.max_total_bytes / 2 {
            return true;
        }
        let mut kept = lock(&self.kept);
        loop {
            let own: usize =
                kept.values().filter(|stream| stream.client == client).map(|it| it.size()).sum();
            if can_take(own, size, left(), self.max_bytes.min(self.max_total_bytes / 2)) {
                return true;
            }
            match first_to_remove(&kept, MemoryStream::size) {
                Some((first, most)) if most >= own || kept[&first].client == client => {
                    drop(kept.remove(&first));
                }
                _ => return false,
            }
        }
    }

    fn find(&self, id: &str, owner: &str) -> Option<Arc<MemoryStream>> {
        let mut kept = lock(&self.kept);
        let stream = kept.get(id)?;
        if stream.is_expired(self.ttl) {
            kept.remove(id);
            return None;
        }
        (stream.owner == owner).then(|| Arc::clone(stream))
    }
}

impl MemoryStream {
    fn ended(&self) -> Option<Instant> {
        lock(&self.log).ended
    }

    /// Returns the stored size, in bytes.
    fn size(&self) -> usize {
        lock(&self.log).bytes
    }

    fn is_expired(&self, ttl: Duration) -> bool {
        self.ended().is_some_and(|ended| ended.elapsed() >= ttl)
    }

    fn add(&self, event: StreamEvent, size: usize, max_bytes: usize) -> Result<(), E> {
        let is_too_long = lock(&self.log).bytes.saturating_add(size) > max_bytes;
        if is_too_long { self.fail(E::TooLong(max_bytes)) } else { self.push(event, size) }
    }

    /// Ends the stream with an error, regardless of the size limits.
    fn fail(&self, error: E) -> Result<(), E> {
        self.push(failure(&error), EVENT_COST)?;
        Err(error)
    }

    fn push(&self, event: StreamEvent, size: usize) -> Result<(), E> {
        let mut log = lock(&self.log);
        if log.ended.is_some() {
            return Err(E::Ended);
        }
        if event.is_last() {
            log.ended = Some(Instant::now());
        }
        log.bytes = log.bytes.saturating_add(size);
        self.total.fetch_add(size, Relaxed);
        log.events.push(event);
        self.count.send_replace(log.events.len());
        Ok(())
    }
}

impl Drop for MemoryStream {
    fn drop(&mut self) {
        self.total.fetch_sub(lock(&self.log).bytes, Relaxed);
    }
}

fn failure(error: &E) -> StreamEvent {
    let (status, message) = (status::status_name(error.kind()), error.to_string());
    StreamEvent::Error(json!({ "status": status, "message": message }))
}

struct MemoryWriter {
    stream: Arc<MemoryStream>,
    store: MemoryStreams,
}

impl StreamWriter for MemoryWriter {
    fn write(&mut self, event: StreamEvent) -> BoxFuture<'_, Result<()>> {
        let written = self.store.add(&self.stream, event).map_err(Into::into);
        Box::pin(std::future::ready(written))
    }
}

impl Drop for MemoryWriter {
    /// Ends the stream, so that its readers do not wait forever.
    fn drop(&mut self) {
        let _ = self.stream.fail(E::Abandoned);
    }
}

struct MemoryReader {
    stream: Arc<MemoryStream>,
    count: watch::Receiver<usize>,
    /// The number of chunks to skip.
    skip: usize,
    next: usize,
    ended: bool,
}

impl MemoryReader {
    /// Returns the next event if it is already available.
    fn ready(&mut self) -> Option<StreamEvent> {
        let log = lock(&self.stream.log);
        // The last event is never skipped.
        while self.next < self.skip && log.events.get(self.next).is_some_and(|e| !e.is_last()) {
            self.next += 1;
        }
        let event = log.events.get(self.next)?.clone();
        self.next += 1;
        self.ended = event.is_last();
        Some(event)
    }
}

impl StreamReader for MemoryReader {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<StreamEvent>>> {
        Box::pin(async move {
            while !self.ended {
                self.count.mark_unchanged();
                if let Some(event) = self.ready() {
                    return Some(Ok(event));
                }
                // The sender cannot have been dropped, because `stream` holds it.
                let _ = self.count.changed().await;
            }
            None
        })
    }
}

impl StreamStore for MemoryStreams {
    fn open<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn StreamWriter>>> {
        self.open_for(id, owner, owner)
    }

    fn open_for<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
        client: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn StreamWriter>>> {
        let opened = self.open_now(id, owner, client);
        let opened = opened.map(|writer| Box::new(writer) as Box<dyn StreamWriter>);
        Box::pin(std::future::ready(opened.map_err(Into::into)))
    }

    fn subscribe<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
        from: usize,
    ) -> BoxFuture<'a, Result<Option<Box<dyn StreamReader>>>> {
        let reader = self.find(id, owner).map(|stream| {
            let count = stream.count.subscribe();
            let reader = MemoryReader { stream, count, skip: from, next: 0, ended: false };
            Box::new(reader) as Box<dyn StreamReader>
        });
        Box::pin(std::future::ready(Ok(reader)))
    }
}

impl std::fmt::Debug for MemoryStreams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryStreams")
            .field("kept", &lock(&self.kept).len())
            .finish_non_exhaustive()
    }
}

/// Returns the stream to remove to make room, which is the oldest ended stream of the client whose ended streams have
/// the highest total weight, and that weight.
fn first_to_remove(
    kept: &HashMap<String, Arc<MemoryStream>>,
    weight: impl Fn(&MemoryStream) -> usize,
) -> Option<(String, usize)> {
    let ended: Vec<_> = kept
        .iter()
        .filter_map(|(id, stream)| Some((id, stream, stream.ended()?)))
        .map(|(id, stream, age)| (id, &*stream.client, weight(stream), age))
        .collect();
    let items = ended.iter().map(|&(id, owner, weight, age)| Item { id, owner, weight, age });
    find_greediest(items).map(|(id, weight)| (id.clone(), weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ErrorKind;
    use serde_json::Value;

    async fn read(store: &MemoryStreams, id: &str, from: usize) -> Option<Vec<StreamEvent>> {
        let mut reader = store.subscribe(id, "ada", from).await.unwrap()?;
        let mut events = Vec::new();
        while let Some(event) = reader.next().await {
            events.push(event.unwrap());
        }
        Some(events)
    }

    fn chunk(n: usize) -> StreamEvent {
        StreamEvent::Chunk(json!(n))
    }

    async fn ended(store: &MemoryStreams, id: &str) {
        let mut writer = store.open(id, "ada").await.unwrap();
        writer.write(StreamEvent::Result(Value::Null)).await.unwrap();
    }

    async fn read_as(store: &MemoryStreams, id: &str, owner: &str) -> bool {
        store.subscribe(id, owner, 0).await.unwrap().is_some()
    }

    #[tokio::test]
    async fn a_stream_is_replayed_and_then_live() {
        let store = MemoryStreams::new();
        let mut writer = store.open("a", "ada").await.unwrap();
        writer.write(chunk(0)).await.unwrap();
        let reading = tokio::spawn({
            let store = store.clone();
            async move { (read(&store, "a", 0).await, read(&store, "a", 1).await) }
        });
        tokio::task::yield_now().await;
        writer.write(chunk(1)).await.unwrap();
        let end = StreamEvent::Result(json!("done"));
        writer.write(end.clone()).await.unwrap();
        assert_eq!(writer.write(chunk(2)).await.unwrap_err().kind(), ErrorKind::FailedPrecondition);
        let (whole, rest) = reading.await.unwrap();
        assert_eq!(whole.unwrap(), [chunk(0), chunk(1), end.clone()]);
        assert_eq!(rest.unwrap(), [chunk(1), end.clone()]);
        assert_eq!(read(&store, "a", 99).await.unwrap(), [end], "the end is never skipped");
    }

    #[tokio::test]
    async fn a_stream_is_its_owners_alone() {
        let store = MemoryStreams::new();
        ended(&store, "a").await;
        assert!(store.subscribe("a", "bob", 0).await.unwrap().is_none());
        assert!(store.subscribe("b", "ada", 0).await.unwrap().is_none());
        let known = store.open("a", "bob").await.err().unwrap();
        assert_eq!(known.kind(), ErrorKind::AlreadyExists);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_expires_after_its_end_and_not_before() {
        let store = MemoryStreams::new().ttl(Duration::from_secs(60));
        let mut writer = store.open("a", "ada").await.unwrap();
        tokio::time::advance(Duration::from_secs(3600)).await;
        writer.write(StreamEvent::Result(Value::Null)).await.unwrap();
        tokio::time::advance(Duration::from_secs(59)).await;
        assert!(read(&store, "a", 0).await.is_some());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(read(&store, "a", 0).await.is_none());
        assert!(lock(&store.kept).is_empty(), "expired streams use no memory");
    }

    #[tokio::test]
    async fn a_stream_that_grows_too_long_ends_with_an_error() {
        let store = MemoryStreams::new().max_bytes(300);
        let mut writer = store.open("a", "ada").await.unwrap();
        writer.write(chunk(0)).await.unwrap();
        let long = StreamEvent::Chunk(json!("x".repeat(300)));
        let error = writer.write(long).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
        let events = read(&store, "a", 0).await.unwrap();
        assert_eq!(events.len(), 2);
        let StreamEvent::Error(error) = &events[1] else { panic!("{events:?}") };
        assert_eq!(error["status"], "RESOURCE_EXHAUSTED");
    }

    #[tokio::test]
    async fn all_streams_together_are_bounded_and_ended_ones_make_room() {
        let store = MemoryStreams::new().max_total_bytes(1_000);
        let long = || StreamEvent::Chunk(json!("x".repeat(200)));
        for id in ["a", "b"] {
            let mut writer = store.open(id, "ada").await.unwrap();
            writer.write(StreamEvent::Result(json!("x".repeat(100)))).await.unwrap();
        }
        let mut writer = store.open("c", "ada").await.unwrap();
        writer.write(long()).await.unwrap();
        assert!(read(&store, "a", 0).await.is_none(), "it ended first");
        assert!(read(&store, "b", 0).await.is_some());
        let mut another = store.open("d", "ada").await.unwrap();
        another.write(chunk(0)).await.unwrap();
        let refused = another.write(long()).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ResourceExhausted);
        let events = read(&store, "d", 0).await.unwrap();
        assert!(matches!(&*events, [StreamEvent::Chunk(_), StreamEvent::Error(_)]), "{events:?}");
        drop((writer, another));
        lock(&store.kept).clear();
        assert_eq!(store.bytes.load(Relaxed), 0, "removed streams use no memory");
    }

    #[tokio::test]
    async fn memory_of_one_owner_leaves_room_for_others() {
        let store = MemoryStreams::new().max_total_bytes(8_000);
        ended(&store, "a").await;
        let (mut writers, mut last) = (Vec::new(), Ok(()));
        for id in ["e1", "e2", "e3", "e4"] {
            let mut writer = store.open(id, "eve").await.unwrap();
            last = writer.write(StreamEvent::Chunk(json!("x".repeat(1_500)))).await;
            writers.push(writer);
        }
        assert_eq!(last.unwrap_err().kind(), ErrorKind::ResourceExhausted);
        assert!(read(&store, "a", 0).await.is_some(), "the stream of a modest owner is kept");
        let mut modest = store.open("b", "ada").await.unwrap();
        modest.write(StreamEvent::Chunk(json!("x".repeat(1_500)))).await.unwrap();
    }

    #[tokio::test]
    async fn the_owner_with_the_most_streams_makes_room() {
        let store = MemoryStreams::new().max_streams(4);
        let mut writer = store.open("eve", "eve").await.unwrap();
        writer.write(StreamEvent::Result(Value::Null)).await.unwrap();
        for id in ["a", "b", "c", "d", "e"] {
            ended(&store, id).await;
        }
        assert!(read_as(&store, "eve", "eve").await, "the oldest stream, of another owner");
        assert!(read(&store, "a", 0).await.is_none() && read(&store, "e", 0).await.is_some());
    }

    #[tokio::test]
    async fn clients_without_an_owner_share_by_client() {
        let store = MemoryStreams::new().max_streams(20);
        let mut running = Vec::new();
        for at in 0.. {
            match store.open_for(&format!("e{at}"), "flow", "address 192.0.2.1").await {
                Ok(writer) => running.push(writer),
                Err(_) => break,
            }
        }
        assert_eq!(running.len(), 10);
        store.open_for("a", "flow", "address 192.0.2.2").await.expect("half is left");
        assert!(read_as(&store, "e0", "flow").await, "any client with the id can resume");
    }

    #[tokio::test]
    async fn one_owner_leaves_room_for_running_streams_of_others() {
        let store = MemoryStreams::new().max_streams(20);
        let mut running = Vec::new();
        for at in 0.. {
            match store.open(&format!("a{at}"), "ada").await {
                Ok(writer) => running.push(writer),
                Err(refused) => {
                    assert_eq!(refused.kind(), ErrorKind::ResourceExhausted);
                    break;
                }
            }
        }
        assert_eq!(running.len(), 10);
        store.open("b", "eve").await.unwrap();
    }

    #[tokio::test]
    async fn ended_streams_make_room_and_running_ones_do_not() {
        let store = MemoryStreams::new().max_streams(2);
        ended(&store, "a").await;
        let _running = store.open("b", "ada").await.unwrap();
        let _another = store.open("c", "eve").await.unwrap();
        assert!(read(&store, "a", 0).await.is_none());
        let refused = store.open("d", "ada").await.err().unwrap();
        assert_eq!(refused.kind(), ErrorKind::ResourceExhausted);
    }

    #[tokio::test]
    async fn a_writer_that_is_dropped_leaves_an_error() {
        let store = MemoryStreams::new();
        drop(store.open("a", "ada").await.unwrap());
        let events = read(&store, "a", 0).await.unwrap();
        assert!(matches!(&*events, [StreamEvent::Error(_)]), "{events:?}");
    }
}
