//! The servers that are compared. This program starts itself as one of them.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::serve::ListenerExt as _;
use genkit::model::{FnModel, GenerateChunk, from_fn};
use genkit::{Chunks, Genkit, Registry, Result, flow, flows};
use serde::Serialize;
use serde_json::Value;

/// The text of a chunk.
const DELTA: &str = "one more word of a response ";

/// Serves until the process is killed.
pub(crate) fn serve(name: &str, port: &str) {
    let address = format!("127.0.0.1:{port}");
    match name {
        "bare" => bare(&address),
        "agui" => agui(&address),
        "flows" => flows(&address),
        other => panic!("unknown server {other}"),
    }
}

/// Creates a model that sends as many chunks as the last message requests.
fn counting_model() -> FnModel {
    from_fn("counting", |request, chunks| async move {
        let asked = request.messages.last().map(|last| last.text()).unwrap_or_default();
        let count: usize = asked.parse().unwrap_or_default();
        for _ in 0..count {
            chunks.send(GenerateChunk::from_text(DELTA));
            tokio::task::yield_now().await;
        }
        DELTA.repeat(count)
    })
}

#[tokio::main]
async fn agui(address: &str) {
    let run = genkit::generate(()).model(counting_model());
    genkit::serve_agui(run).http(address).await.unwrap();
}

/// Responds with the model.
#[flow]
async fn respond(chunks: &Chunks<String>, text: String) -> Result<String> {
    let mut stream = genkit::generate(text).model(counting_model()).stream();
    while let Some(chunk) = stream.next().await {
        chunks.send(chunk?.text()).await?;
    }
    Ok(stream.response().await?.text())
}

#[tokio::main]
async fn flows(address: &str) {
    let registry = Registry::new().add(flows![respond]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    genkit.serve_flows().http(address).await.unwrap();
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<&'a str>,
}

/// Returns the frame of a chunk, or of the end after `count` chunks.
fn bare_frame(at: usize, count: usize) -> Bytes {
    let event = match at < count {
        true => {
            Event { r#type: "TEXT_MESSAGE_CONTENT", message_id: Some("r-1"), delta: Some(DELTA) }
        }
        false => Event { r#type: "RUN_FINISHED", message_id: None, delta: None },
    };
    Bytes::from(format!("data: {}\n\n", serde_json::to_string(&event).unwrap()))
}

fn requested_chunks(body: &Bytes) -> usize {
    let input: Value = serde_json::from_slice(body).unwrap();
    input["messages"][0]["content"].as_str().unwrap().parse().unwrap()
}

/// Writes each event immediately.
async fn bare_run(body: Bytes) -> Response {
    let count = requested_chunks(&body);
    let frames = futures_util::stream::unfold(0, move |at| async move {
        if at > count {
            return None;
        }
        tokio::task::yield_now().await;
        Some((Ok::<_, Infallible>(bare_frame(at, count)), at + 1))
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(frames)).into_response()
}

/// Produces the events in a task, and writes those that are ready together, as genkit does.
async fn queued_run(body: Bytes) -> Response {
    let count = requested_chunks(&body);
    let (sender, receiver) = tokio::sync::mpsc::channel(16);
    tokio::spawn(async move {
        for at in 0..=count {
            tokio::task::yield_now().await;
            if sender.send(bare_frame(at, count)).await.is_err() {
                return;
            }
        }
    });
    let frames = futures_util::stream::unfold(receiver, |mut receiver| async move {
        Some((Ok::<_, Infallible>(receiver.recv().await?), receiver))
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(frames)).into_response()
}

#[tokio::main]
async fn bare(address: &str) {
    let app = axum::Router::new()
        .route("/agui", axum::routing::post(bare_run))
        .route("/queued", axum::routing::post(queued_run));
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    axum::serve(listener, app).await.unwrap();
}
