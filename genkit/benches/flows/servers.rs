//! The servers that are compared. This program starts itself as one of them.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::serve::ListenerExt as _;
use genkit::{Chunks, Genkit, Registry, Result, flow, flows};
use serde::{Deserialize, Serialize};

/// Serves until the process is killed.
pub(crate) fn serve(name: &str, port: &str) {
    let address = format!("127.0.0.1:{port}");
    match name {
        "bare" => bare(&address),
        "ours" => ours(&address),
        other => panic!("unknown server {other}"),
    }
}

/// One chunk of a stream.
#[derive(Serialize, genkit::schemars::JsonSchema)]
#[schemars(crate = "genkit::schemars")]
struct Counted {
    i: u32,
    text: String,
}

impl Counted {
    fn new(i: u32) -> Self {
        Self { i, text: "one more word of an answer".to_owned() }
    }
}

/// Adds two numbers.
#[flow]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Counts.
#[flow]
async fn count(chunks: &Chunks<Counted>, n: u32) -> Result<u32> {
    for i in 0..n {
        chunks.send(Counted::new(i)).await?;
    }
    Ok(n)
}

#[tokio::main]
async fn ours(address: &str) {
    let registry = Registry::new().add(flows![add, count]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    genkit.serve_flows().http(address).await.unwrap();
}

#[derive(Deserialize)]
struct Asked<T> {
    data: T,
}

#[derive(Serialize)]
struct Answer<T> {
    result: T,
}

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize)]
struct Count {
    n: u32,
}

async fn bare_add(body: Bytes) -> Response {
    let asked: Asked<Add> = serde_json::from_slice(&body).unwrap();
    let answer = serde_json::to_vec(&Answer { result: asked.data.a + asked.data.b }).unwrap();
    ([(CONTENT_TYPE, "application/json")], answer).into_response()
}

/// Sends each chunk as soon as it is produced, as genkit does.
async fn bare_count(body: Bytes) -> Response {
    let asked: Asked<Count> = serde_json::from_slice(&body).unwrap();
    let n = asked.data.n;
    let frames = futures_util::stream::unfold(0, move |i| async move {
        #[derive(Serialize)]
        struct Message {
            message: Counted,
        }
        if i > n {
            return None;
        }
        tokio::task::yield_now().await;
        let json = match i < n {
            true => serde_json::to_string(&Message { message: Counted::new(i) }),
            false => serde_json::to_string(&Answer { result: n }),
        };
        let frame = Bytes::from(format!("data: {}\n\n", json.unwrap()));
        Some((Ok::<_, Infallible>(frame), i + 1))
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(frames)).into_response()
}

#[tokio::main]
async fn bare(address: &str) {
    let app = axum::Router::new()
        .route("/add", axum::routing::post(bare_add))
        .route("/count", axum::routing::post(bare_count));
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    axum::serve(listener, app).await.unwrap();
}
