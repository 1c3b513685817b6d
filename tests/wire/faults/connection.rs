//! Connections that fail, break, hang, or are abandoned.

use std::io::{ErrorKind as IoKind, Write as _};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use genkit::ErrorKind;
use genkit::model::ChunkSink;

use super::server::*;
use crate::cases;

#[tokio::test]
async fn refused_connection_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error = unary(&format!("http://{host}")).await.unwrap_err();
    assert_says(&error, ErrorKind::Unavailable, &["gemini: ", &host, "is unreachable: "]);
    assert!(error.is_retryable());
}

#[tokio::test]
async fn closed_before_the_answer() {
    let server = says("");
    let error = unary(&server.url).await.unwrap_err();
    let message = "closed the connection before responding";
    assert_says(&error, ErrorKind::Unavailable, &[&server.host, message]);
    assert!(error.is_retryable());
}

#[tokio::test]
async fn cut_off_in_the_middle_of_the_body() {
    let server = says("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"candidat");
    let error = unary(&server.url).await.unwrap_err();
    assert_says(
        &error,
        ErrorKind::Unavailable,
        &[&server.host, "interrupted its response after 10 bytes"],
    );
}

#[tokio::test]
async fn cut_off_in_the_middle_of_a_stream() {
    let server = says(format!("{STREAM}{}{}", event("one "), event("two")));
    let (result, text) = streamed(&server.url).await;
    assert_says(&result.unwrap_err(), ErrorKind::Unavailable, &["interrupted its response after "]);
    assert_eq!(text, "one two");
}

#[tokio::test]
async fn chunks_arrive_as_they_come() {
    let (heard, waits) = mpsc::channel();
    let server = serves(move |mut stream, _| {
        stream.write_all(STREAM.as_bytes()).unwrap();
        for word in ["one ", "two ", "three"] {
            stream.write_all(event(word).as_bytes()).unwrap();
            // The next one is sent only after this one was received.
            waits.recv_timeout(PATIENCE).expect("the chunk is delivered");
        }
        stream.write_all(b"0\r\n\r\n").unwrap();
    });
    let sink = ChunkSink::new(move |_| heard.send(()).unwrap());
    let response = ask(&*gemini(&server.url), sink).await.unwrap();
    assert_eq!(response.message.unwrap().text(), "one two three");
    server.served().await;
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let target = elsewhere.local_addr().unwrap();
    let headers = format!("location: http://{target}/steal?a=b\r\n");
    let server = says(http("307 Temporary Redirect", &headers, ""));
    let error = unary(&server.url).await.unwrap_err();
    let texts = [server.host.as_str(), "redirects to 127.0.0.1 (HTTP 307)", "base URL"];
    assert_says(&error, ErrorKind::FailedPrecondition, &texts);
    assert_eq!(elsewhere.accept().unwrap_err().kind(), IoKind::WouldBlock);
}

#[tokio::test]
async fn hanging_server_times_out() {
    let server = serves(|mut stream, _| {
        stream.write_all(STREAM.as_bytes()).unwrap();
        stream.write_all(event("one").as_bytes()).unwrap();
        // Held open until the caller gives up.
        assert!(is_closed(&mut stream));
    });
    let limit = Duration::from_millis(300);
    let gemini = cases::model_with("gemini", "", &server.url, KEY, Some(limit));
    let started = Instant::now();
    let error = ask(&*gemini, ChunkSink::new(|_| ())).await.unwrap_err();
    assert_says(
        &error,
        ErrorKind::DeadlineExceeded,
        &[&server.host, "did not respond within 300ms"],
    );
    assert!(error.is_retryable() && started.elapsed() < PATIENCE / 2);
    server.served().await;
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    for begins in ["", STREAM] {
        let (reached, waits) = tokio::sync::oneshot::channel();
        let server = serves(move |mut stream, _| {
            stream.write_all(begins.as_bytes()).unwrap();
            reached.send(()).unwrap();
            assert!(is_closed(&mut stream));
        });
        let gemini = gemini(&server.url);
        let call = tokio::spawn(async move { ask(&*gemini, ChunkSink::new(|_| ())).await });
        waits.await.unwrap();
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        server.served().await;
    }
}

#[tokio::test]
async fn connection_is_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        for round in 0..4 {
            read_request(&mut stream);
            let answer = match round % 2 {
                0 => http("200 OK", "", r#"{"candidates":[{}]}"#)
                    .replace("connection: close\r\n", ""),
                _ => format!("{STREAM}{}0\r\n\r\n", event("x")),
            };
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    // Another call would wait forever, since no second connection is accepted.
    for _ in 0..2 {
        unary(&url).await.unwrap();
        streamed(&url).await.0.unwrap();
    }
    tokio::task::spawn_blocking(|| served.join().unwrap()).await.unwrap();
}

#[tokio::test]
async fn forbidden_network_names_the_host() {
    genkit::testing::forbid_network();
    let error = unary("https://generativelanguage.example.com").await.unwrap_err();
    let texts = ["network access is disabled in this test", "generativelanguage.example.com"];
    assert_says(&error, ErrorKind::FailedPrecondition, &texts);
    // Loopback stays allowed.
    let server = says(http("200 OK", "", r#"{"candidates":[{}]}"#));
    assert_eq!(unary(&server.url).await.unwrap(), "");
}
