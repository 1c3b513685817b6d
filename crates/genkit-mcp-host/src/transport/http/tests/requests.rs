//! Tests of the headers and the destinations of requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::model::{ClientRequest, GetExtensions, ListToolsRequest};

use super::fake::{Answer, Fake, mcp};
use super::{connector, explain_error, list, open};
use crate::config::ServerConfig;
use genkit_core::Context;

#[tokio::test]
async fn requests_carry_server_headers_and_caller_headers() {
    let fake = Fake::start(mcp).await;
    let server = ServerConfig::http(fake.url())
        .bearer_token("general")
        .header("x-app", "test")
        .headers_from(|_| [("authorization".to_owned(), "Bearer of-the-user".to_owned())]);
    let client = open(&connector(&server)).await.unwrap();
    let mut request = ClientRequest::ListToolsRequest(ListToolsRequest::default());
    let headers = server.endpoint.headers_for(&Context::detached(), None).unwrap();
    request.extensions_mut().insert(headers);
    client.send_request(request).await.unwrap();
    list(&client).await.unwrap();
    client.cancel().await.unwrap();

    let all = fake.seen(|_| true);
    assert!(all.iter().all(|request| request.header("x-app") == Some("test")));
    let token = |index: usize| {
        let lists = fake.seen(|request| request.is("tools/list"));
        lists[index].header("authorization").map(str::to_owned)
    };
    assert_eq!(token(0).as_deref(), Some("Bearer of-the-user"));
    assert_eq!(token(1).as_deref(), Some("Bearer general"));
    assert_eq!(fake.seen(|request| request.method == "DELETE").len(), 1);
}

/// After the handshake, the client opens the GET stream before it sends requests, because the server may send questions
/// on that stream while it handles a request.
#[tokio::test]
async fn requests_wait_until_the_stream_of_the_server_is_there() {
    let fake = Fake::start(|request| match request.method.as_str() {
        "GET" => mcp(request).after(Duration::from_millis(100)),
        _ => mcp(request),
    });
    let fake = fake.await;
    let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
    list(&client).await.unwrap();
    let order = fake.seen(|request| request.method == "GET" || request.is("tools/list"));
    let order: Vec<_> = order.iter().map(|request| request.method.as_str()).collect();
    assert_eq!(order, ["GET", "POST"]);
}

/// A server that opens its stream only with the first event does not delay other requests for long.
#[tokio::test]
async fn stream_that_does_not_open_holds_up_the_first_requests_only_a_moment() {
    let fake = Fake::start(|request| match request.method.as_str() {
        "GET" => mcp(request).after(Duration::from_secs(3600)),
        _ => mcp(request),
    });
    let fake = fake.await;
    let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
    list(&client).await.unwrap();
    list(&client).await.unwrap();
    assert_eq!(fake.seen(|request| request.is("tools/list")).len(), 2);
    assert!(fake.seen(|request| request.method == "GET").is_empty());
}

#[tokio::test]
async fn headers_that_cannot_be_sent_fail_their_own_request_only() {
    let fake = Fake::start(mcp).await;
    let server =
        ServerConfig::http(fake.url()).headers_from(|_| [("a b".to_owned(), String::new())]);
    let client = open(&connector(&server)).await.unwrap();
    let mut request = ClientRequest::ListToolsRequest(ListToolsRequest::default());
    request
        .extensions_mut()
        .insert(server.endpoint.headers_for(&Context::detached(), None).unwrap());
    let error = client.send_request(request).await.unwrap_err();
    let fault = explain_error(&error).unwrap();
    assert!(
        fault.unsent && fault.error.to_string().contains("`headers_from` returned"),
        "{fault:?}"
    );
    list(&client).await.unwrap();
}

#[tokio::test]
async fn redirects_stay_within_their_origin() {
    let other = Fake::start(mcp).await;
    let elsewhere = other.url();
    let away = AtomicBool::new(false);
    let fake = Fake::start(move |request| match request.path.as_str() {
        "/mcp" if away.load(Ordering::Relaxed) => {
            Answer::status(307).header("Location", elsewhere.clone())
        }
        "/mcp" => {
            away.store(request.is("notifications/initialized"), Ordering::Relaxed);
            Answer::status(308).header("Location", "/moved")
        }
        _ => mcp(request),
    })
    .await;
    let client = open(&connector(&ServerConfig::http(fake.url()).bearer_token("t"))).await.unwrap();
    let error = list(&client).await.unwrap_err();
    let text = explain_error(&error).unwrap().error.to_string();
    assert!(text.contains("HTTP 307") && text.contains("the redirect was not followed"), "{text}");
    assert_eq!(fake.seen(|r| r.path == "/moved" && r.is("initialize")).len(), 1);
    assert!(other.seen(|_| true).is_empty());
}
