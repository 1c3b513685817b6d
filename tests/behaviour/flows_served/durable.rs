//! Durable streams: which callers can resume one, and until when.

use std::time::Duration;

use genkit::flows::{
    ContextProvider, FlowRequest, MemoryStreams, StreamEvent, StreamReader, StreamStore,
    StreamWriter,
};
use genkit::{BoxFuture, Chunks, Error, ErrorKind, Result, flow, flows};
use serde_json::{Map, Value, json};

use super::{Listening, Sent, post, serving, stream};

/// Counts.
#[flow]
async fn count(chunks: &Chunks<u32>, #[input] n: u32) -> Result<u32> {
    for i in 0..n {
        chunks.send(i).await?;
    }
    Ok(n)
}

/// Counts, under another name.
#[flow]
async fn other(chunks: &Chunks<u32>, #[input] n: u32) -> Result<u32> {
    count(chunks, n).await
}

async fn start(store: impl StreamStore) -> Listening {
    let user = |request: FlowRequest| async move {
        Ok(json!({"auth": {"uid": request.header("x-user")}, "time": request.header("x-time")}))
    };
    let server = serving(flows![count, other]).stream_store(store).context_provider(user);
    Listening::start(server).await
}

fn again(path: &str, id: &str, user: &str) -> Sent {
    stream(path, &json!({})).header("x-genkit-stream-id", id).header("x-user", user)
}

async fn run(server: &Listening) -> (String, Vec<serde_json::Value>) {
    let sent = stream("/count", &json!({"data": 3})).header("x-user", "ada");
    let answer = server.send(sent).await;
    (answer.header("x-genkit-stream-id").expect("an id").to_owned(), answer.frames())
}

#[tokio::test]
async fn stream_is_returned_to_its_owner() {
    let server = start(MemoryStreams::new()).await;
    let (id, frames) = run(&server).await;
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(frames.len(), 4);
    // Other parts of the context may differ.
    let replayed = server.send(again("/count", &id, "ada").header("x-time", "later")).await;
    assert_eq!(
        (replayed.header("x-genkit-stream-id"), replayed.frames()),
        (Some(id.as_str()), frames.clone())
    );
    let broken = again("/count", &id, "ada").body("{not looked at");
    assert_eq!(server.send(broken).await.frames(), frames);
    for (from, left) in [("1", &frames[1..]), ("3", &frames[3..]), ("99", &frames[3..])] {
        let sent = again(&format!("/count?from={from}"), &id, "ada");
        assert_eq!(server.send(sent).await.frames(), left, "{from}");
    }
    assert_eq!(server.send(again("/count?from=x", &id, "ada")).await.status, 400);
}

#[tokio::test]
async fn other_callers_cannot_detect_the_stream() {
    let server = start(MemoryStreams::new()).await;
    let (id, _) = run(&server).await;
    let long = "a".repeat(5000);
    for (path, id, user) in [
        ("/count", id.as_str(), "eve"),
        ("/other", &id, "ada"),
        ("/count", "00000000000000000000000000000000", "ada"),
        ("/count", "", "ada"),
        ("/count", &long, "ada"),
    ] {
        let answer = server.send(again(path, id, user)).await;
        assert_eq!((answer.status, answer.body.len()), (204, 0), "{path} {id} {user}");
    }
    assert_eq!(server.send(again("/nope", &id, "ada")).await.status, 404);
}

/// A tenant, and the user it acts for; runs belong to the tenant.
struct Tenant;

impl ContextProvider for Tenant {
    fn provide<'a>(
        &'a self,
        request: &'a FlowRequest,
    ) -> BoxFuture<'a, Result<Map<String, Value>>> {
        let context = json!({
            "tenant": request.header("x-tenant"), "auth": {"iat": request.header("x-time")},
        });
        Box::pin(async move { Ok(context.as_object().cloned().unwrap()) })
    }

    fn owner(&self, context: &Map<String, Value>) -> Option<String> {
        context["tenant"].as_str().map(str::to_owned)
    }
}

#[tokio::test]
async fn stream_belongs_to_its_owner_even_without_auth() {
    let tenant =
        |request: FlowRequest| async move { Ok(json!({"tenant": request.header("x-tenant")})) };
    let durable = || serving(flows![count]).durable_streams(true);
    for server in [durable().context_provider(tenant), durable().context_provider(Tenant)] {
        let server = Listening::start(server).await;
        let sent = stream("/count", &json!({"data": 1}));
        let opened = server.send(sent.clone().header("x-tenant", "acme")).await;
        let id = opened.header("x-genkit-stream-id").expect("an id");
        let again =
            |tenant| sent.clone().header("x-genkit-stream-id", id).header("x-tenant", tenant);
        assert_eq!(server.send(again("other")).await.status, 204);
        assert_eq!(server.send(again("acme")).await.frames(), opened.frames());
    }
    let server = Listening::start(durable().context_provider(Tenant)).await;
    let sent = stream("/count", &json!({"data": 1})).header("x-tenant", "acme");
    let opened = server.send(sent.clone().header("x-time", "1")).await;
    let id = opened.header("x-genkit-stream-id").expect("an id");
    let renewed = sent.header("x-genkit-stream-id", id).header("x-time", "2");
    assert_eq!(server.send(renewed).await.frames(), opened.frames(), "its token was renewed");
}

#[tokio::test]
async fn stream_id_is_ignored_without_a_store() {
    let server = start(MemoryStreams::new()).await;
    let plain = post("/count", &json!({"data": 1})).header("x-genkit-stream-id", "x");
    let answer = server.send(plain).await;
    assert_eq!(answer.json(), json!({"result": 1}));
    assert_eq!(answer.header("x-genkit-stream-id"), None);
    let server = Listening::start(serving(flows![count])).await;
    let sent = stream("/count", &json!({"data": 1})).header("x-genkit-stream-id", "x");
    let answer = server.send(sent).await;
    assert_eq!((answer.frames().len(), answer.header("x-genkit-stream-id")), (2, None));
}

#[tokio::test]
async fn stored_streams_are_bounded() {
    let server = start(MemoryStreams::new().max_streams(1).max_bytes(300)).await;
    let (first, _) = run(&server).await;
    let (second, _) = run(&server).await;
    assert_eq!(server.send(again("/count", &first, "ada")).await.status, 204);
    assert_eq!(server.send(again("/count", &second, "ada")).await.status, 200);
    let long = server.send(stream("/count", &json!({"data": 100_000}))).await;
    assert_eq!(long.status_name(), "RESOURCE_EXHAUSTED");

    let server = start(MemoryStreams::new().max_streams(0)).await;
    let refused = server.send(stream("/count", &json!({"data": 1}))).await;
    assert_eq!((refused.status, refused.status_name().as_str()), (429, "RESOURCE_EXHAUSTED"));

    let server = start(MemoryStreams::new().ttl(Duration::ZERO)).await;
    let (expired, frames) = run(&server).await;
    assert_eq!(frames.len(), 4);
    assert_eq!(server.send(again("/count", &expired, "ada")).await.status, 204);
}

/// A store that fails in one operation.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Open,
    Write,
    Read,
    ShortRead,
    Panic,
}

impl StreamStore for Broken {
    fn open<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<Box<dyn StreamWriter>>> {
        let failed = || Error::from(std::io::Error::other("db is at 10.0.0.7"));
        Box::pin(async move {
            match self {
                Self::Open => Err(failed()),
                Self::Panic => panic!("boom"),
                _ => Ok(Box::new(*self) as Box<dyn StreamWriter>),
            }
        })
    }

    fn subscribe<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: usize,
    ) -> BoxFuture<'a, Result<Option<Box<dyn StreamReader>>>> {
        Box::pin(async move { Ok(Some(Box::new(*self) as Box<dyn StreamReader>)) })
    }
}

impl StreamWriter for Broken {
    fn write(&mut self, _: StreamEvent) -> BoxFuture<'_, Result<()>> {
        let refused = Error::new(ErrorKind::Unavailable, "no room");
        let written = if *self == Self::Write { Err(refused) } else { Ok(()) };
        Box::pin(async move { written })
    }
}

impl StreamReader for Broken {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<StreamEvent>>> {
        let failed = std::io::Error::other("db is at 10.0.0.7");
        let next = (*self == Self::Read).then(|| Err(failed.into()));
        Box::pin(async move { next })
    }
}

#[tokio::test]
async fn store_that_fails_is_an_error_to_the_client_and_never_silence() {
    for (broken, status, name) in [
        (Broken::Open, 500, "INTERNAL"),
        (Broken::Panic, 500, "INTERNAL"),
        (Broken::Write, 200, "UNAVAILABLE"),
        (Broken::Read, 200, "INTERNAL"),
        (Broken::ShortRead, 200, "UNAVAILABLE"),
    ] {
        let server = start(broken).await;
        let answer = server.send(stream("/count", &json!({"data": 1}))).await;
        assert_eq!((answer.status, answer.status_name().as_str()), (status, name));
        assert!(!answer.text().contains("10.0.0.7"), "{answer:?}");
    }
}
