//! Flows, run in process.

use std::sync::{Arc, Mutex};

use genkit::{Chunks, ErrorKind, Flow, Genkit, Registry, Result, flow, flows};
use serde_json::json;

/// Counts down.
#[flow]
async fn count_down(chunks: &Chunks<u32>, from: u32) -> Result<String> {
    for n in (1..=from).rev() {
        chunks.send(n).await?;
    }
    Ok("lift off".into())
}

/// Panics.
#[flow]
async fn falls() -> u32 {
    panic!("oh")
}

fn genkit() -> Genkit {
    Genkit::builder().registry(Registry::new().add(flows![count_down, falls])).build().unwrap()
}

#[tokio::test]
async fn flows_stream_and_return() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let stream = move |chunk| sink.lock().unwrap().push(chunk);
    let result = genkit().stream_flow("count_down", json!({"from": 3}), stream).await.unwrap();
    assert_eq!(result, json!("lift off"));
    assert_eq!(*seen.lock().unwrap(), [json!(3), json!(2), json!(1)]);
    assert_eq!(Flow::of::<count_down>().chunk_schema().unwrap()["type"], "integer");
    // Without a receiver, chunks are discarded.
    assert!(genkit().run_flow("count_down", json!({"from": 3})).await.is_ok());
}

#[tokio::test]
async fn what_goes_wrong_has_a_kind() {
    let genkit = genkit();
    for (name, input, kind) in [
        ("count_dwn", json!({}), ErrorKind::NotFound),
        ("count_down", json!({"from": "3"}), ErrorKind::InvalidArgument),
        ("falls", json!({}), ErrorKind::Internal),
    ] {
        assert_eq!(genkit.run_flow(name, input).await.unwrap_err().kind(), kind, "{name}");
    }
}
