//! Tests of errors: their messages, and their effect on the connection.

use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::service::ServiceError;

use super::fake::{Answer, Fake, mcp};
use super::{connector, explain_error, fault, list, open};
use crate::config::ServerConfig;
use genkit_core::ErrorKind;

/// Returns the error from a server that always gives the same response.
async fn always(answer: impl Fn() -> Answer + Send + Sync + 'static) -> (ErrorKind, String) {
    let fake = Fake::start(move |_| answer()).await;
    let server = ServerConfig::http(format!("{}?key=hidden", fake.url()));
    let fault = fault(server).await;
    assert!(!fault.session_lost && !fault.unsent, "{fault:?}");
    let text = fault.error.chain();
    assert!(text.contains(&fake.url()) && !text.contains("hidden"), "{text}");
    assert!(!text.contains("::") && !text.contains("Error"), "{text}");
    (fault.error.kind(), text)
}

#[tokio::test]
async fn non_mcp_response_is_described() {
    for (status, kind, says) in [
        (401, ErrorKind::Unauthenticated, "`.bearer_token(..)`, or use `.oauth(..)`"),
        (403, ErrorKind::PermissionDenied, "HTTP 403 Forbidden: access was denied"),
        (404, ErrorKind::NotFound, "HTTP 404 Not Found: no MCP server found"),
        (405, ErrorKind::NotFound, "HTTP 405"),
        (429, ErrorKind::ResourceExhausted, "HTTP 429"),
        (503, ErrorKind::Unavailable, "HTTP 503 Service Unavailable"),
    ] {
        let (found, text) = always(move || Answer::status(status)).await;
        assert!(found == kind && text.contains(says), "{status}: {found:?} {text}");
    }
    let page = || Answer::status(200).header("Content-Type", "text/html").body("<html>");
    let (_, text) = always(page).await;
    assert!(text.contains("responded with text/html instead of MCP"), "{text}");
    let (_, text) = always(|| Answer::json(&serde_json::json!({"a": 1}))).await;
    assert!(text.contains("JSON that is not an MCP message"), "{text}");
    let challenge = || Answer::status(401).header("WWW-Authenticate", "Bearer");
    let (_, text) = always(challenge).await;
    assert!(text.contains("requires authorization"), "{text}");
    let (_, text) = always(|| Answer::status(503).header("Retry-After", "7")).await;
    assert!(text.contains("503"), "{text}");
}

#[tokio::test]
async fn retry_after_of_a_busy_server_is_kept() {
    let fake = Fake::start(|_| Answer::status(429).header("Retry-After", "7")).await;
    let fault = fault(ServerConfig::http(fake.url())).await;
    assert_eq!(fault.error.retry_after().unwrap().as_secs(), 7);
}

#[tokio::test]
async fn rejected_token_is_not_reported_as_missing() {
    let fake = Fake::start(|_| Answer::status(401)).await;
    let fault = fault(ServerConfig::http(fake.url()).bearer_token("wrong")).await;
    let text = fault.error.to_string();
    assert!(text.contains("rejected the authorization"), "{text}");
}

#[tokio::test]
async fn refused_connection_is_recognized_and_nothing_was_sent() {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    drop(socket);
    let refused = fault(ServerConfig::http(url.clone())).await;
    assert_eq!(
        refused.error.to_string(),
        format!("the connection to {url} was refused; check that the server is running")
    );
    assert!(refused.unsent && refused.error.is_retryable());
}

#[tokio::test]
async fn lost_session_is_recognized() {
    for (status, lost) in [(404, true), (400, true), (500, false)] {
        let count = AtomicUsize::new(0);
        let fake = Fake::start(move |request| match request.is("tools/list") {
            true if count.fetch_add(1, Ordering::Relaxed) > 0 => Answer::status(status),
            _ => mcp(request),
        })
        .await;
        let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
        list(&client).await.unwrap();
        let error = list(&client).await.unwrap_err();
        let fault = explain_error(&error).unwrap();
        assert_eq!(fault.session_lost, lost, "{status}: {fault:?}");
        // Only the host starts a new session.
        assert_eq!(fake.seen(|request| request.is("initialize")).len(), 1);
    }
}

/// The example server of the TypeScript SDK responds like this to an unknown session.
#[tokio::test]
async fn error_without_an_id_ends_the_request_that_it_answers() {
    let count = AtomicUsize::new(0);
    let fake = Fake::start(move |request| match request.is("tools/list") {
        true if count.fetch_add(1, Ordering::Relaxed) > 0 => {
            let error = serde_json::json!({"code": -32000, "message": "No valid session ID"});
            let answer = serde_json::json!({"jsonrpc": "2.0", "error": error});
            Answer::status(400).header("Content-Type", "application/json").body(answer.to_string())
        }
        _ => mcp(request),
    })
    .await;
    let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
    list(&client).await.unwrap();
    let fault = explain_error(&list(&client).await.unwrap_err()).unwrap();
    assert!(fault.session_lost && fault.error.to_string().contains("No valid session ID"));
}

#[tokio::test]
async fn truncated_response_is_recognized() {
    let fake = Fake::start(|request| match request.is("tools/list") {
        true => Answer::json(&serde_json::json!({})).header("Content-Length", "9"),
        false => mcp(request),
    })
    .await;
    let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
    let error = list(&client).await.unwrap_err();
    let fault = explain_error(&error).unwrap();
    assert!(!fault.unsent && !fault.session_lost, "{fault:?}");
}

#[test]
fn non_http_errors_are_not_explained() {
    assert!(explain_error(&ServiceError::TransportClosed).is_none());
    assert!(explain_error(&std::io::Error::other("x")).is_none());
}

/// The values are redacted even if a debugging proxy echoes them in another encoding.
#[tokio::test]
async fn echoed_header_values_are_redacted() {
    use base64::Engine as _;
    const TOKEN: &str = "s3cret-\"tok\"/en-of-mine";
    const KEY: &str = "another-secret-key";
    for spell in [
        |text: &str| text.to_owned(),
        |text: &str| serde_json::Value::from(text).to_string(),
        |text: &str| base64::engine::general_purpose::STANDARD.encode(text),
        |text: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text),
        |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
    ] {
        for status in [400, 401, 403, 404, 500] {
            let fake = Fake::start(move |request| {
                let sent: Vec<_> = ["authorization", "x-api-key"]
                    .iter()
                    .filter_map(|name| request.header(name))
                    .map(spell)
                    .collect();
                Answer::status(status)
                    .header("Content-Type", "application/json")
                    .body(format!("{{\"error\": \"bad headers {}\"}}", sent.join(" ")))
            })
            .await;
            let server = ServerConfig::http(format!("{}?t=secret-in-query", fake.url()))
                .bearer_token(TOKEN)
                .header("x-api-key", KEY);
            let text = fault(server).await.error.chain();
            for secret in [TOKEN, KEY] {
                assert!(!text.contains(secret) && !text.contains(&spell(secret)), "{text}");
            }
            assert!(!text.contains("s3cret") && !text.contains("secret-key"), "{text}");
        }
    }
}
