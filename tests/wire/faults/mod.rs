//! Errors of a provider's server, and what the caller receives.

mod connection;
mod each;
pub(crate) mod server;

use std::io::Write as _;
use std::sync::mpsc;
use std::time::Duration;

use genkit::ErrorKind;

use server::*;

#[tokio::test]
async fn key_is_in_a_header_and_the_base_path_stays() {
    let (send, asked) = mpsc::channel();
    let server = serves(move |mut stream, asked| {
        send.send(asked).unwrap();
        stream.write_all(http("200 OK", "", r#"{"candidates":[{}]}"#).as_bytes()).unwrap();
    });
    unary(&server.url).await.unwrap();
    let asked = asked.recv().unwrap();
    let line = asked.lines().next().unwrap();
    assert_eq!(line, "POST /base/v1beta/models/gemini-2.5-flash:generateContent HTTP/1.1");
    assert!(asked.contains(&format!("x-goog-api-key: {KEY}\r\n")), "{asked}");
}

#[tokio::test]
async fn response_without_candidates_is_an_error() {
    let json = "content-type: application/json\r\n";
    for body in ["{}", r#"{"candidates":[]}"#, r#"{"ok": true}"#] {
        let error = unary(&says(http("200 OK", json, body)).url).await.unwrap_err();
        assert_says(&error, ErrorKind::Unavailable, &["the response has no candidates"]);
        let (ended, _) = streamed(&says(http("200 OK", json, body)).url).await;
        assert_says(&ended.unwrap_err(), ErrorKind::Unavailable, &["no candidates"]);
    }
}

#[tokio::test]
async fn too_many_requests_with_a_header() {
    let body =
        r#"{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}}"#;
    let headers = "retry-after: 7\r\nx-request-id: req-42\r\n";
    let server = says(http("429 Too Many Requests", headers, body));
    let error = unary(&server.url).await.unwrap_err();
    let text = "gemini: HTTP 429: slow down (request id req-42)";
    assert_says(&error, ErrorKind::ResourceExhausted, &[text]);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    assert!(error.is_retryable());
}

#[tokio::test]
async fn too_many_requests_with_a_hint_in_the_body() {
    let body = r#"[{"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}]"#;
    let server = says(http("429 Too Many Requests", "", body));
    let (result, _) = streamed(&server.url).await;
    let error = result.unwrap_err();
    assert_says(&error, ErrorKind::ResourceExhausted, &["HTTP 429: quota"]);
    assert_eq!(error.retry_after(), Some(Duration::from_millis(34_500)));
}

#[tokio::test]
async fn server_error_is_retryable() {
    let server = says(http("500 Internal", "", "<html>it broke</html>"));
    let error = unary(&server.url).await.unwrap_err();
    assert_says(&error, ErrorKind::Internal, &["gemini: HTTP 500: it broke"]);
    assert!(error.is_retryable() && error.retry_after().is_none());
}

#[tokio::test]
async fn error_whose_body_is_cut_off_keeps_its_status() {
    let server = says("HTTP/1.1 503 Busy\r\ncontent-length: 1000\r\n\r\ntry la");
    let error = unary(&server.url).await.unwrap_err();
    assert_says(&error, ErrorKind::Unavailable, &["gemini: HTTP 503: try la"]);
}

#[tokio::test]
async fn key_that_the_server_repeats_is_hidden() {
    let body =
        format!(r#"{{"error": {{"message": "bad key {KEY}", "status": "INVALID_ARGUMENT"}}}}"#);
    let server = says(http("400 Bad", "", &body));
    let error = unary(&server.url).await.unwrap_err();
    assert_says(&error, ErrorKind::InvalidArgument, &["bad key <KEY>"]);
}

#[tokio::test]
async fn truncated_json_is_an_error() {
    let server = says(http("200 OK", "", r#"{"candidates": [{"content": "#));
    let error = unary(&server.url).await.unwrap_err();
    assert_says(&error, ErrorKind::Unavailable, &["gemini: the response is incomplete: EOF"]);
    let server = says(http("200 OK", "", r#"data: {"candidates": [{"cont"#));
    let (result, _) = streamed(&server.url).await;
    assert_says(&result.unwrap_err(), ErrorKind::Unavailable, &["the response is incomplete: EOF"]);
}

#[tokio::test]
async fn non_json_response_is_an_error() {
    let server = says(http("200 OK", "", "<html>a captive portal</html>"));
    let error = unary(&server.url).await.unwrap_err();
    assert_says(
        &error,
        ErrorKind::Internal,
        &["sent a web page instead of JSON; check the base URL"],
    );
}

#[tokio::test]
async fn response_over_the_limit_is_rejected() {
    let server = serves(|mut stream, _| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").unwrap();
        let piece = vec![b' '; 1024 * 1024];
        while stream.write_all(&piece).is_ok() {}
    });
    let error = unary(&server.url).await.unwrap_err();
    assert_says(&error, ErrorKind::ResourceExhausted, &["more than 67108864 bytes"]);
    assert!(!error.is_retryable());
    // The server stops when the connection closes.
    server.served().await;
}
