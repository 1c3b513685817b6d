//! Faults that every provider's server may have: the same error for each, without secrets.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use genkit::model::{ChunkSink, Model, ModelResponse};
use genkit::{Error, ErrorKind};

use super::server::{self, KEY, PATIENCE, http, is_closed, listening, says, serves};
use crate::cases::{self, BUILT};
use crate::mock::{Dialect, Said, dialect};

const JSON: &str = "content-type: application/json\r\n";

fn model(provider: &str, url: &str) -> Arc<dyn Model> {
    cases::model_with(provider, dialect(provider).model(), url, KEY, None)
}

async fn ask(model: &dyn Model, streams: bool) -> Result<(ModelResponse, String), (Error, String)> {
    let (sink, text) = listening();
    let answer = server::ask(model, if streams { sink } else { ChunkSink::none() }).await;
    let text = text.lock().unwrap().clone();
    answer.map(|response| (response, text.clone())).map_err(|error| (error, text))
}

/// Returns the error of a call to a server that sends these bytes. It must not contain secrets.
async fn error(provider: &str, answer: impl Into<Vec<u8>>, streams: bool) -> (Error, String) {
    let server = says(answer);
    let failed = ask(&*model(provider, &server.url), streams).await;
    let (error, seen) = failed.expect_err("an error");
    silent(provider, &error);
    (error, seen)
}

#[track_caller]
fn silent(provider: &str, error: &Error) {
    let whole = format!("{error} {error:?} {}", error.chain());
    assert!(!whole.contains(KEY), "{provider}: {whole}");
    assert!(!whole.contains("http://"), "{provider}: {whole}");
}

fn stream_head(dialect: &dyn Dialect) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {}\r\nconnection: close\r\n\r\n",
        dialect.stream_type()
    )
}

#[tokio::test]
async fn errors_with_a_status_are_of_the_same_kind() {
    for provider in BUILT {
        let dialect = dialect(provider);
        for (status, kind, is_retryable) in [
            (400, ErrorKind::InvalidArgument, false),
            (401, ErrorKind::Unauthenticated, false),
            (403, ErrorKind::PermissionDenied, false),
            (404, ErrorKind::NotFound, false),
            (429, ErrorKind::ResourceExhausted, true),
            (500, ErrorKind::Internal, true),
            (503, ErrorKind::Unavailable, true),
            (529, ErrorKind::Unavailable, true),
        ] {
            for streams in [false, true] {
                let body = dialect.failure(status, &format!("no, not with {KEY}")).to_string();
                let head = format!("{JSON}retry-after: 7\r\nx-request-id: req-42\r\n");
                let answer = http(&format!("{status} Failed"), &head, &body);
                let (error, _) = error(provider, answer, streams).await;
                let text = error.to_string();
                assert_eq!(error.kind(), kind, "{provider} {status}: {text}");
                assert_eq!(error.is_retryable(), is_retryable, "{provider} {status}: {text}");
                assert!(text.contains("no, not with <KEY>"), "{provider} {status}: {text}");
                assert!(text.contains(&format!("HTTP {status}")), "{provider} {status}: {text}");
                assert!(text.contains("req-42"), "{provider} {status}: {text}");
                if is_retryable {
                    assert_eq!(
                        error.retry_after(),
                        Some(Duration::from_secs(7)),
                        "{provider} {status}"
                    );
                }
            }
        }
        // A gateway in front of it responds in another format.
        let (error, _) = error(provider, http("502 Bad", "", "<html>it broke</html>"), false).await;
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{provider}");
    }
}

#[tokio::test]
async fn connection_that_breaks_can_be_retried() {
    for provider in BUILT {
        let whole = dialect(provider).whole(&Said::text("hello")).to_string();
        for streams in [false, true] {
            // No server listens at this address.
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            drop(listener);
            let (refused, _) = ask(&*model(provider, &url), streams).await.expect_err("an error");
            silent(provider, &refused);
            assert_eq!(refused.kind(), ErrorKind::Unavailable, "{provider}: {refused}");
            assert!(refused.is_retryable(), "{provider}: {refused}");
            // Closed before a response, in the middle of its head, in the middle of its body.
            let cut = format!("HTTP/1.1 200 OK\r\n{JSON}content-length: 9000\r\n\r\n{whole}");
            for answer in [String::new(), "HTTP/1.1 20".to_owned(), cut] {
                let (error, _) = error(provider, answer.clone(), streams).await;
                assert_eq!(error.kind(), ErrorKind::Unavailable, "{provider} {answer:?}: {error}");
                assert!(error.is_retryable(), "{provider} {answer:?}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn truncated_response_is_an_error() {
    for provider in BUILT {
        let dialect = dialect(provider);
        let whole = dialect.whole(&Said::text("hello")).to_string();
        for streams in [false, true] {
            let (error, _) =
                error(provider, http("200 OK", JSON, &whole[..whole.len() / 2]), streams).await;
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{provider} {streams}: {error}");
            assert!(error.is_retryable(), "{provider}: {error}");
        }
        // An incomplete event: what came before it was delivered, and the call fails.
        let pieces = dialect.pieces(&Said::text("one two three"));
        let framed = dialect.events(&pieces[..pieces.len() - 2]);
        let cut = framed.trim_end().len() - 4;
        let answer = format!("{}{}", stream_head(dialect), &framed[..cut]);
        let (error, seen) = error(provider, answer, true).await;
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{provider}: {error}");
        assert!(
            seen.starts_with("one") && "one two three".starts_with(&seen),
            "{provider}: {seen:?}"
        );
    }
}

#[tokio::test]
async fn malformed_response_body_is_an_error() {
    for provider in BUILT {
        for streams in [false, true] {
            for (kind, body) in [
                ("text/html", "<html>a captive portal</html>"),
                ("application/json", "[]"),
                ("application/json", "{}"),
                ("application/json", "\"text\""),
                ("application/json", "{\"ok\": true}"),
                ("application/json", ""),
                ("text/event-stream", ""),
                ("application/json", "  \n"),
                ("image/png", "\u{89}PNG"),
            ] {
                let answer = http("200 OK", &format!("content-type: {kind}\r\n"), body);
                let (error, seen) = error(provider, answer, streams).await;
                let kinds = [ErrorKind::Unavailable, ErrorKind::Internal];
                assert!(
                    kinds.contains(&error.kind()),
                    "{provider} {body:?} {streams}: {:?} {error}",
                    error.kind()
                );
                assert_eq!(seen, "", "{provider} {body:?}");
            }
        }
    }
}

/// Proxies may send a wrong content type, so the body is decisive.
#[tokio::test]
async fn wrong_content_type_does_no_harm() {
    for provider in BUILT {
        let dialect = dialect(provider);
        let said = Said::text("hello");
        for kind in
            ["", "content-type: text/plain\r\n", "content-type: application/octet-stream\r\n"]
        {
            let whole = says(http("200 OK", kind, &dialect.whole(&said).to_string()));
            let (response, _) = ask(&*model(provider, &whole.url), false).await.unwrap();
            assert_eq!(response.message.unwrap().text(), "hello", "{provider} {kind}");
            let stream = says(http("200 OK", kind, &dialect.framed(&dialect.pieces(&said))));
            let (_, seen) = ask(&*model(provider, &stream.url), true).await.unwrap();
            assert_eq!(seen, "hello", "{provider} {kind}");
            // A complete response, although a stream was requested.
            let whole = says(http("200 OK", kind, &dialect.whole(&said).to_string()));
            let (response, seen) = ask(&*model(provider, &whole.url), true).await.unwrap();
            assert_eq!(
                (response.message.unwrap().text().as_str(), seen.as_str()),
                ("hello", "hello"),
                "{provider}"
            );
        }
    }
}

#[tokio::test]
async fn redirect_is_not_followed_with_the_key() {
    for provider in BUILT {
        let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
        elsewhere.set_nonblocking(true).unwrap();
        for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
            let target = elsewhere.local_addr().unwrap();
            let head = format!("location: http://{target}/steal\r\n");
            let (error, _) = error(provider, http(status, &head, ""), false).await;
            assert_eq!(error.kind(), ErrorKind::FailedPrecondition, "{provider}: {error}");
            assert!(!error.is_retryable(), "{provider}: {error}");
        }
        assert!(elsewhere.accept().is_err(), "{provider} followed");
    }
}

#[tokio::test]
async fn ten_megabytes_are_an_answer() {
    let text = "0123456789".repeat(1024 * 1024);
    // Replaces a mark by the text, since encoding it as JSON would take most of the time, and digits need no escaping.
    let long = |json: String| json.replace("@@@", &text);
    for provider in BUILT {
        let (dialect, said) = (dialect(provider), Said::text("@@@"));
        let server = says(http("200 OK", JSON, &long(dialect.whole(&said).to_string())));
        let (response, _) = ask(&*model(provider, &server.url), false).await.unwrap();
        assert!(response.message.unwrap().text() == text, "{provider}");
        // One event of that size.
        let kind = format!("content-type: {}\r\n", dialect.stream_type());
        let events = long(dialect.framed(&dialect.pieces(&said)));
        let server = says(http("200 OK", &kind, &events));
        let (response, seen) = ask(&*model(provider, &server.url), true).await.unwrap();
        assert!(seen == text && response.message.unwrap().text() == text, "{provider}");
    }
}

#[tokio::test]
async fn endless_answer_ends_at_the_limit() {
    for provider in BUILT {
        for streams in [false, true] {
            let kind = if streams { dialect(provider).stream_type() } else { "application/json" };
            let server = serves(move |mut stream, _| {
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{{\"a\": \""
                );
                let _ = stream.write_all(head.as_bytes());
                let piece = vec![b'x'; 1024 * 1024];
                while stream.write_all(&piece).is_ok() {}
            });
            let (error, _) =
                ask(&*model(provider, &server.url), streams).await.expect_err("an error");
            silent(provider, &error);
            assert_eq!(error.kind(), ErrorKind::ResourceExhausted, "{provider} {streams}: {error}");
            assert!(!error.is_retryable(), "{provider}: {error}");
            server.served().await;
        }
    }
}

#[tokio::test]
async fn slow_server_is_given_up() {
    for provider in BUILT {
        for begun in [false, true] {
            let dialect = dialect(provider);
            let pieces = dialect.pieces(&Said::text("hello"));
            let head = format!("{}{}", stream_head(dialect), dialect.events(&pieces[..2]));
            let server = serves(move |mut stream, _| {
                if begun {
                    stream.write_all(head.as_bytes()).unwrap();
                }
                assert!(is_closed(&mut stream));
            });
            let limit = Duration::from_millis(300);
            let model = cases::model_with(provider, dialect.model(), &server.url, KEY, Some(limit));
            let started = Instant::now();
            let (error, _) = ask(&*model, true).await.expect_err("an error");
            silent(provider, &error);
            assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{provider}: {error}");
            assert!(
                error.is_retryable() && started.elapsed() < PATIENCE / 2,
                "{provider}: {error}"
            );
            server.served().await;
        }
    }
}
