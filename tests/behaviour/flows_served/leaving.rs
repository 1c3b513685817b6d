//! Clients that disconnect, and servers that shut down.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::{Chunks, Context, Genkit, Registry, Result, flow, flows};
use serde_json::json;
use tokio::sync::Notify;

use super::{Listening, PATIENCE, open, post, stream};

/// Records what happened to the flow.
#[derive(Clone, Default)]
struct Watch(Arc<Seen>);

#[derive(Default)]
struct Seen {
    began: Notify,
    dropped: Notify,
    cancelled: Notify,
    go_on: Notify,
    sent: AtomicUsize,
}

struct OnDrop(Watch);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.0.dropped.notify_one();
    }
}

/// Runs until it is dropped or released.
#[flow]
async fn wait(ctx: &Context, watch: &Watch, chunks: &Chunks<u32>) -> Result<&'static str> {
    let _seen = OnDrop(watch.clone());
    let (handed_on, seen) = (ctx.clone(), watch.clone());
    tokio::spawn(async move {
        handed_on.cancelled().await;
        seen.0.cancelled.notify_one();
    });
    chunks.send(1).await?;
    watch.0.began.notify_one();
    watch.0.go_on.notified().await;
    Ok("done")
}

/// Sends without end.
#[flow]
async fn flood(watch: &Watch, chunks: &Chunks<String>) -> Result<()> {
    loop {
        chunks.send("x".repeat(1024)).await?;
        watch.0.sent.fetch_add(1, Ordering::Relaxed);
    }
}

/// Long enough for flows that were released, but not for flows that wait forever.
const GRACE: Duration = Duration::from_secs(3);

async fn start(durable: bool) -> (Listening, Watch) {
    let watch = Watch::default();
    let genkit = Genkit::builder()
        .registry(Registry::new().add(flows![wait, flood]))
        .state(watch.clone())
        .build()
        .unwrap();
    let server = genkit.serve_flows().durable_streams(durable).grace(GRACE);
    (Listening::start(server).await, watch)
}

async fn soon(what: impl Future<Output = ()>) {
    tokio::time::timeout(PATIENCE, what).await.expect("it happens");
}

#[tokio::test(flavor = "multi_thread")]
async fn flow_ends_with_its_client() {
    let (server, watch) = start(false).await;
    for sent in [post("/wait", &json!({})), stream("/wait", &json!({}))] {
        let connection = open(server.address, &sent);
        soon(watch.0.began.notified()).await;
        drop(connection);
        soon(watch.0.dropped.notified()).await;
        soon(watch.0.cancelled.notified()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn durable_stream_runs_on_without_its_client() {
    let (server, watch) = start(true).await;
    let connection = open(server.address, &stream("/wait", &json!({})));
    soon(watch.0.began.notified()).await;
    let mut head = vec![0; 4096];
    let read = std::io::Read::read(&mut &connection, &mut head).unwrap();
    let head = String::from_utf8_lossy(&head[..read]).into_owned();
    let id = head.split("x-genkit-stream-id: ").nth(1).expect("an id").lines().next().unwrap();
    drop(connection);
    let again = stream("/wait", &json!({})).header("x-genkit-stream-id", id);
    let answer = tokio::spawn({
        let (address, again) = (server.address, again.clone());
        async move { tokio::task::spawn_blocking(move || super::exchange(address, &again)).await }
    });
    watch.0.go_on.notify_one();
    let frames = answer.await.unwrap().unwrap().frames();
    assert_eq!(frames, [json!({"message": 1}), json!({"result": "done"})]);
    assert_eq!(server.send(again).await.frames(), frames, "and once more after the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_that_reads_slowly_slows_its_flow() {
    let (server, watch) = start(false).await;
    let connection = open(server.address, &stream("/flood", &json!({})));
    let sent = || watch.0.sent.load(Ordering::Relaxed);
    // The system's buffers fill up, and then nothing more is sent.
    let mut before = usize::MAX;
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while before != sent() || before == 0 {
        assert!(tokio::time::Instant::now() < deadline, "the flow was not slowed: {}", sent());
        before = sent();
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    drop(connection);
}

#[tokio::test(flavor = "multi_thread")]
async fn running_flows_finish_during_shutdown() {
    let (mut server, watch) = start(false).await;
    let (address, sent) = (server.address, stream("/wait", &json!({})));
    let answer = tokio::task::spawn_blocking(move || super::exchange(address, &sent));
    soon(watch.0.began.notified()).await;
    server.stop();
    watch.0.go_on.notify_one();
    assert_eq!(answer.await.unwrap().frames()[1], json!({"result": "done"}));
    server.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn flows_that_exceed_the_shutdown_time_report_it() {
    for durable in [false, true] {
        let (mut server, watch) = start(durable).await;
        let (address, sent) = (server.address, stream("/wait", &json!({})));
        let streamed = tokio::task::spawn_blocking(move || super::exchange(address, &sent));
        soon(watch.0.began.notified()).await;
        let sent = post("/wait", &json!({}));
        let plain = tokio::task::spawn_blocking(move || super::exchange(address, &sent));
        soon(watch.0.began.notified()).await;
        server.stop();
        let streamed = streamed.await.unwrap();
        assert_eq!(streamed.frames().len(), 2, "{streamed:?}");
        assert_eq!(streamed.status_name(), "UNAVAILABLE");
        let plain = plain.await.unwrap();
        assert_eq!((plain.status, plain.status_name().as_str()), (503, "UNAVAILABLE"));
        server.ended().await;
    }
}
