//! Flows run by Genkit's own client (`genkit/beta/client`). Each check is a separate process with a time limit, because
//! that client loops forever if a stream does not end as it expects.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use genkit::flows::{FlowServer, api_key};
use genkit::{Chunks, Error, ErrorKind, Genkit, Registry, Result, flow, flows};
use serde_json::{Value, json};

use crate::packages;
use crate::program;

/// The time limit of a check.
const LIMIT: Duration = Duration::from_secs(10);

/// Whether the endless flow has ended.
#[derive(Clone, Default)]
struct Gone(Arc<AtomicBool>);

struct OnDrop(Gone);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Counts.
#[flow]
async fn streamy(chunks: &Chunks<Value>, #[input] n: u64) -> Result<String> {
    for count in 0..n {
        chunks.send(json!({ "count": count })).await?;
    }
    Ok(format!("done {n}, streamed: {n} times"))
}

/// Counts slowly.
#[flow]
async fn slow(chunks: &Chunks<u64>, #[input] n: u64) -> Result<u64> {
    for count in 0..n {
        chunks.send(count).await?;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(n)
}

/// Does nothing.
#[flow]
async fn unit() {}

/// Streams what it gets.
#[flow(name = "chunks")]
async fn chunked(chunks: &Chunks<String>, #[input] items: Vec<String>) -> Result<usize> {
    let count = items.len();
    for item in items {
        chunks.send(item).await?;
    }
    Ok(count)
}

/// Fails in public, after a chunk.
#[flow]
async fn fail(chunks: &Chunks<u32>) -> Result<()> {
    chunks.send(1).await?;
    Err(Error::new(ErrorKind::FailedPrecondition, "visible"))
}

/// Fails with an error that no client must receive.
#[flow]
async fn secret() -> Result<(), std::io::Error> {
    Err(std::io::Error::other("password=hunter2"))
}

/// Panics.
#[flow]
async fn panics() {
    panic!("boom")
}

/// Takes too long.
#[flow]
async fn sleeper() {
    std::future::pending().await
}

/// Streams until it is dropped.
#[flow]
async fn endless(chunks: &Chunks<u32>, gone: &Gone) -> Result<()> {
    let _gone = OnDrop(gone.clone());
    chunks.send(1).await?;
    std::future::pending().await
}

/// Runs a check with its own server.
fn check(name: &str, options: impl FnOnce(FlowServer) -> FlowServer) -> Value {
    let gone = Gone::default();
    let actions = flows![streamy, slow, unit, chunked, fail, secret, panics, sleeper, endless];
    let registry = Registry::new().add(actions);
    let genkit = Genkit::builder().registry(registry).state(gone.clone()).build().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = options(genkit.serve_flows().listener(listener));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.spawn(server.run());

    let mut node = packages::tool(Path::new("node"));
    node.arg(packages::genkit_client()).args([name, &url]);
    let ran = program::run(&mut node, LIMIT).unwrap_or_else(|story| panic!("{story}"));
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    let seen = serde_json::from_str(ran.stdout.trim());
    let seen = seen.unwrap_or_else(|error| panic!("{error}: {}", ran.story()));
    if name == "abort" {
        let deadline = Instant::now() + LIMIT;
        while !gone.0.load(Ordering::Relaxed) {
            assert!(Instant::now() < deadline, "the flow runs on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    runtime.shutdown_background();
    seen
}

#[test]
fn genkits_client_streams_the_shared_case() {
    let counts: Vec<Value> = (0..5).map(|count| json!({ "count": count })).collect();
    let wanted = json!({"chunks": counts, "result": "done 5, streamed: 5 times"});
    assert_eq!(check("streamy", |server| server), wanted);
}

#[test]
fn genkits_client_runs_with_and_without_input() {
    assert_eq!(check("plain", |server| server), "done 3, streamed: 3 times");
    let wanted = json!({"plain": null, "streamed": {"chunks": [], "result": null}});
    assert_eq!(check("nothing", |server| server), wanted);
    assert_eq!(check("init", |server| server), "done 1, streamed: 1 times");
}

#[test]
fn genkits_client_reads_every_character() {
    let seen = check("characters", |server| server);
    assert!(seen["bytes"].as_u64().is_some_and(|bytes| bytes > 1_000_000), "{seen}");
    assert_eq!(seen["same"], true);
    assert_eq!((&seen["second"], &seen["result"]), (&json!("\n\ndata: x\r\n"), &json!(2)));
}

#[test]
fn genkits_client_reads_failures_and_never_spins() {
    let seen = check("failure", |server| server.timeout(Duration::from_millis(300)));
    let plain = seen["plain"]["error"].as_str().unwrap_or_default();
    assert!(plain.starts_with("Server returned: 400: ") && plain.contains("visible"), "{seen}");
    let streamed = &seen["streamed"];
    assert_eq!(streamed["chunks"], json!([1]));
    let said = |which: &str| seen[which]["error"].as_str().unwrap_or_default().to_owned();
    assert!(said("streamed").starts_with("FAILED_PRECONDITION: visible"), "{seen}");
    assert!(
        said("masked").starts_with("INTERNAL: ") && !said("masked").contains("hunter2"),
        "{seen}"
    );
    assert!(said("panic").starts_with("INTERNAL: ") && !said("panic").contains("boom"), "{seen}");
    assert!(said("late").starts_with("DEADLINE_EXCEEDED: "), "{seen}");
}

#[test]
fn genkit_client_must_authenticate() {
    let seen = check("provider", |server| server.context_provider(api_key("k")));
    for which in ["nobody", "streamed"] {
        let error = seen[which]["error"].as_str().unwrap_or_default();
        assert!(
            error.starts_with("Server returned: 401: ") && error.contains("UNAUTHENTICATED"),
            "{seen}"
        );
    }
    assert!(seen["somebody"].get("error").is_none(), "{seen}");
}

#[test]
fn genkits_client_comes_back_to_a_stream() {
    let seen = check("durable", |server| server.durable_streams(true));
    assert_eq!(seen["id"].as_str().map(str::len), Some(32), "{seen}");
    let wanted = json!({"chunks": [0, 1, 2, 3, 4, 5], "result": 6});
    for which in ["original", "running", "ended"] {
        assert_eq!(seen[which], wanted, "{which}");
    }
    assert_eq!(seen["unknown"]["error"], "NOT_FOUND: Stream not found.");
}

#[test]
fn genkits_client_aborts_a_flow() {
    assert_eq!(check("abort", |server| server), json!({"chunk": 1}));
}
