//! Tests of the driver against a server with fixed responses.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::http::cassette::Cassette;
use crate::wire::HeaderLookup;
use crate::wire::{HttpCall, Next, WireFormat, WireStream};
use crate::{ChunkSink, Model as _, ModelInfo};
use genkit_core::Message;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;

/// A provider whose responses are plain text.
struct Plain;

struct PlainStream(String);

impl WireFormat for Plain {
    fn encode_request(&self, request: &ModelRequest, _: bool) -> Result<HttpCall> {
        let headers = vec![("x-api-key", "sk-very-secret".into())];
        let body = request.messages[0].text().into_bytes();
        Ok(HttpCall { path: "/answer".into(), headers, body })
    }

    fn encode_count(&self, request: &ModelRequest) -> Result<Option<HttpCall>> {
        if request.tools.is_empty() {
            Ok(None)
        } else {
            self.encode_request(request, false).map(Some)
        }
    }

    fn decode_count(&self, body: &[u8]) -> Result<u64> {
        let text = String::from_utf8_lossy(body);
        text.parse().map_err(|_| Error::new(ErrorKind::Internal, "no number"))
    }

    fn decode_response(&self, _: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        Ok(ModelResponse::from_text(String::from_utf8_lossy(body)))
    }

    fn open_stream<'a>(&'a self, _: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(PlainStream(String::new()))
    }

    fn decode_error(&self, status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
        let text = error_text("plain", status, &String::from_utf8_lossy(body), headers);
        Error::new(ErrorKind::Unknown, text)
    }
}

impl WireStream for PlainStream {
    fn read_event(&mut self, event: &SseEvent<'_>, chunks: &ChunkSink) -> Result<Next> {
        let text = match event {
            SseEvent::Message { data, .. } => data.as_ref(),
            SseEvent::Bare(text) => text,
        };
        if text == "[DONE]" {
            return Ok(Next::Done);
        }
        self.0.push_str(text);
        chunks.send(GenerateChunk::from_text(text));
        Ok(Next::More)
    }

    fn into_response(self: Box<Self>) -> Result<ModelResponse> {
        Ok(ModelResponse::from_text(self.0))
    }
}

/// Starts a server that sends one of `answers` to each connection, verbatim.
fn server(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 4096];
            let _ = stream.read(&mut asked);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}")
}

fn http(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

fn model(endpoint: ApiEndpoint) -> HttpModel<Plain> {
    HttpModel::new("plain/model".into(), ModelInfo::default(), Plain, Arc::new(endpoint))
}

async fn ask(model: &HttpModel<Plain>, stream: bool) -> Result<String> {
    let request = ModelRequest::new([Message::user("hi")]);
    let chunks = if stream { ChunkSink::new(|_| ()) } else { ChunkSink::none() };
    let response = model.generate(&request, &chunks).await?;
    assert!(response.latency_ms.is_some());
    Ok(response.message.unwrap().text())
}

async fn answered(body: &str, stream: bool) -> Result<String> {
    let endpoint = ApiEndpoint::new("plain", &server(vec![http(body)])).unwrap();
    ask(&model(endpoint), stream).await
}

#[tokio::test]
async fn streams_may_be_events_or_json() {
    assert_eq!(
        answered("data: a\n\ndata: b\n\ndata: [DONE]\n\ndata: c\n\n", true).await.unwrap(),
        "ab"
    );
    assert_eq!(
        answered("\u{feff}\n {\"whole\":1}", true).await.unwrap(),
        "\u{feff}\n {\"whole\":1}"
    );
    assert_eq!(answered("[1,2]", true).await.unwrap(), "[1,2]");
    assert_eq!(answered(": a comment\r\rdata:x", true).await.unwrap(), "x");
}

#[tokio::test]
async fn empty_response_is_an_error() {
    for (body, stream) in [("", false), (" \n", false), ("", true), ("\r\n\r\n", true)] {
        let error = answered(body, stream).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{body:?}");
        assert!(error.to_string().ends_with("sent an empty response"), "{error}");
    }
}

#[tokio::test]
async fn answer_has_a_limit() {
    for stream in [false, true] {
        for (limit, fits) in [(11, true), (10, false)] {
            let url = server(vec![http("data: 12345")]);
            let endpoint = ApiEndpoint::new("plain", &url).unwrap().with_max_answer(limit);
            let result = ask(&model(endpoint), stream).await;
            assert_eq!(result.is_ok(), fits);
            if let Err(error) = result {
                assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
                assert!(!error.is_retryable() && error.to_string().contains("10 bytes"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn echoed_key_is_redacted() {
    let body = "no such key: sk-very-secret";
    let answer = http(body).replace("200 OK", "401 No");
    let endpoint = ApiEndpoint::new("plain", &server(vec![answer])).unwrap();
    let error = ask(&model(endpoint), false).await.unwrap_err();
    assert_eq!(error.to_string(), "plain: HTTP 401: no such key: <KEY>");
}

#[tokio::test]
async fn cassette_replaces_the_server() {
    let path = std::env::temp_dir().join(format!("genkit-driver-{}.json", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let url = server(vec![http("data: a\n\n"), http("whole")]);
    let cassette = || Cassette::auto(&path).unwrap().interceptor();
    let recorded = model(ApiEndpoint::new("plain", &url).unwrap().with_interceptor(cassette()));
    assert_eq!(ask(&recorded, true).await.unwrap(), "a");
    assert_eq!(ask(&recorded, false).await.unwrap(), "whole");
    let endpoint = ApiEndpoint::new("plain", "http://127.0.0.1:1/nobody").unwrap();
    let replayed = model(endpoint.with_interceptor(cassette()));
    assert_eq!(ask(&replayed, true).await.unwrap(), "a");
    assert_eq!(ask(&replayed, false).await.unwrap(), "whole");
    assert!(ask(&replayed, false).await.is_err());
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn call_has_a_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let endpoint = ApiEndpoint::new("plain", &url).unwrap();
    let model = model(endpoint.with_timeout(Duration::from_millis(50)));
    let error = ask(&model, false).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert!(error.to_string().contains("did not respond within 50ms"), "{error}");
}

#[tokio::test]
async fn tokens_are_counted_where_the_api_can() {
    let failed = "HTTP/1.1 429 x\r\ncontent-length: 14\r\nconnection: close\r\n\r\nsk-very-secret";
    let base = server(vec![http("42"), http("?"), http(""), failed.to_owned()]);
    let model = model(ApiEndpoint::new("plain", &base).unwrap());
    let plain = ModelRequest::new([Message::user("hi")]);
    let error = model.count_tokens(&plain).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unimplemented);
    let request = plain.with_tools([genkit_core::ToolDefinition::new("now", "")]);
    assert_eq!(model.count_tokens(&request).await.unwrap(), 42);
    assert_eq!(model.count_tokens(&request).await.unwrap_err().to_string(), "no number");
    assert_eq!(model.count_tokens(&request).await.unwrap_err().kind(), ErrorKind::Unavailable);
    let error = model.count_tokens(&request).await.unwrap_err().to_string();
    assert!(!error.contains("very-secret"), "{error}");
}

/// Environment variables are global to the process, so this test runs itself again in a child process.
#[test]
fn proxy_of_the_environment_is_asked() {
    const INSIDE: &str = "GENKIT_TEST_BEHIND_PROXY";
    if std::env::var_os(INSIDE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answer = |url: &str| {
            let endpoint = ApiEndpoint::new("plain", url).unwrap();
            runtime.block_on(ask(&model(endpoint), false)).unwrap()
        };
        assert_eq!(answer("http://models.example/v1"), "through the proxy");
        assert_eq!(answer(&server(vec![http("without it")])), "without it");
        return;
    }
    let proxy = server(vec![http("through the proxy")]);
    let mut test = std::process::Command::new(std::env::current_exe().unwrap());
    test.args(["--exact", "http::tests::proxy_of_the_environment_is_asked"]);
    for name in ["NO_PROXY", "no_proxy", "REQUEST_METHOD"] {
        test.env_remove(name);
    }
    let ran = test.env(INSIDE, "1").env("HTTP_PROXY", proxy).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && told.contains("1 passed"), "{told}");
}
