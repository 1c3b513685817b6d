//! Tests of sessions, streams and connections that end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::header::HeaderName;
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpError};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::fake::{Answer, Fake, mcp};
use super::{connector, explain_error, list, open};
use crate::config::ServerConfig;
use crate::transport::oauth::OAuth;
use crate::transport::oauth::tests::access::{authorization_server, origin};
use genkit_core::{Error, ErrorKind};

const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the response of the TypeScript SDK to an unknown session, as after a restart.
fn no_session(id: Value) -> Answer {
    let error = json!({"code": -32000, "message": "Bad Request: No valid session ID provided"});
    let mut answer = Answer::json(&json!({"jsonrpc": "2.0", "error": error, "id": id}));
    answer.status = 400;
    answer
}

#[tokio::test]
async fn error_without_id_ends_the_session_immediately() {
    for id in [Value::Null, json!("server-error"), json!(999)] {
        let count = AtomicUsize::new(0);
        let fake = Fake::start(move |request| match request.is("tools/list") {
            true if count.fetch_add(1, Ordering::Relaxed) > 0 => no_session(id.clone()),
            _ => mcp(request),
        })
        .await;
        let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
        list(&client).await.unwrap();
        let error = tokio::time::timeout(PATIENCE, list(&client)).await.expect("an answer");
        let fault = explain_error(&error.unwrap_err()).unwrap();
        assert!(fault.session_lost, "{fault:?}");
        assert!(fault.error.to_string().contains("No valid session ID provided"), "{fault:?}");
    }
}

#[tokio::test]
async fn error_without_a_session_is_the_answer_of_the_request() {
    let fake = Fake::start(|_| no_session(Value::Null)).await;
    let opening = tokio::time::timeout(PATIENCE, async {
        open(&connector(&ServerConfig::http(fake.url()))).await.map(drop)
    });
    let error = opening.await.expect("an answer").unwrap_err();
    assert!(error.to_string().contains("No valid session ID provided"), "{error}");
}

#[tokio::test]
async fn connection_that_is_dropped_ends_the_request_that_it_waits_for() {
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    let connector = connector(&ServerConfig::http(url));
    let opening = tokio::time::timeout(Duration::from_millis(300), open(&connector));
    let (opened, accepted) = tokio::join!(opening, socket.accept());
    assert!(opened.is_err(), "nothing answers");
    let mut stream = accepted.unwrap().0;
    let mut rest = Vec::new();
    let end = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    end.expect("the client hangs up").unwrap();
}

#[tokio::test]
async fn sign_in_ends_with_the_last_connection() {
    struct Ended(Arc<tokio::sync::Notify>);
    impl Drop for Ended {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let fake = Fake::start(|request| match request.path.as_str() {
        "/mcp" => {
            let at = format!("{}/.well-known/oauth-protected-resource/mcp", origin(request));
            Answer::status(401)
                .header("WWW-Authenticate", format!("Bearer resource_metadata=\"{at}\""))
        }
        _ => authorization_server(request, &["none"]),
    })
    .await;
    let ended = Arc::new(tokio::sync::Notify::new());
    let guard = Arc::clone(&ended);
    let oauth = OAuth::new().on_authorize(move |_| {
        let guard = Ended(Arc::clone(&guard));
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    let connector = connector(&ServerConfig::http(fake.url()).oauth(oauth));
    let mut busy = connector.busy_state();
    let opening = tokio::spawn(async move { open(&connector).await.map(drop) });
    busy.wait_for(|busy| *busy).await.unwrap();
    opening.abort();
    tokio::time::timeout(PATIENCE, ended.notified()).await.expect("the sign-in is cancelled");
}

#[tokio::test]
async fn streams_that_end_immediately_are_given_up() {
    let fake =
        Fake::start(|_| Answer::status(200).header("Content-Type", "text/event-stream")).await;
    let client = connector(&ServerConfig::http(fake.url())).client;
    let get = || {
        let headers = std::collections::HashMap::<HeaderName, _>::new();
        client.get_stream(fake.url().into(), Some("s".into()), None, None, headers)
    };
    for _ in 0..8 {
        drop(get().await.unwrap());
    }
    let error = get().await.map(drop).unwrap_err();
    assert!(matches!(error, StreamableHttpError::ServerDoesNotSupportSse), "{error}");
}

#[tokio::test]
async fn stream_does_not_ask_the_user() {
    let fake = Fake::start(|request| match request.path.as_str() {
        "/mcp" => Answer::status(401),
        _ => authorization_server(request, &["none"]),
    })
    .await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let oauth = OAuth::new().on_authorize(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        async { Err(Error::new(ErrorKind::Unavailable, "the window was closed")) }
    });
    let connector = connector(&ServerConfig::http(fake.url()).oauth(oauth));
    let headers = std::collections::HashMap::<HeaderName, _>::new();
    let get = connector.client.get_stream(fake.url().into(), None, None, None, headers);
    let error = get.await.map(drop).unwrap_err();
    assert!(matches!(error, StreamableHttpError::AuthRequired(_)), "{error}");
    assert_eq!(asked.load(Ordering::Relaxed), 0);

    // A request does ask the user, and any error from the handler counts as a refusal.
    let error = open(&connector).await.map(drop).unwrap_err();
    let error = explain_error(&error).unwrap().error;
    assert_eq!((error.kind(), asked.load(Ordering::Relaxed)), (ErrorKind::PermissionDenied, 1));
    assert!(error.chain().contains("the window was closed"), "{error:?}");
}
