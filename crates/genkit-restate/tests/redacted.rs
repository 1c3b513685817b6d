//! A server that repeats the token of a request in its response. No error contains the token.

#![allow(clippy::unwrap_used, reason = "panics report the location")]

use genkit::Genkit;
use genkit_restate::{RestateAdmin, RestateClient};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const TOKEN: &str = "key_1AbC/dEf+2GhI3jKl4MnO5pQr";

/// Starts a server that sends one response, and returns its URL.
async fn respond(status: u16, body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
        }
        let request = String::from_utf8(request).unwrap();
        assert!(request.contains(&format!("Bearer {TOKEN}")), "{request}");
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
        let response = format!("{head}connection: close\r\n\r\n{body}");
        stream.write_all(response.as_bytes()).await.unwrap();
        let _ = stream.read_to_end(&mut Vec::new()).await;
    });
    format!("http://{address}")
}

fn client(url: &str) -> RestateClient {
    let genkit = Genkit::builder().build().unwrap();
    RestateClient::new(&genkit, url).unwrap().token(TOKEN)
}

fn assert_redacted(error: &str) {
    assert!(error.contains("<redacted>"), "{error}");
    assert!(!error.contains("AbC") && !error.contains("MnO5"), "{error}");
}

#[tokio::test]
async fn token_in_an_error_message_is_redacted() {
    let url_encoded = TOKEN.replace('/', "%2F").replace('+', "%2B");
    let bodies = [
        format!(r#"{{"message":"invalid credentials: Bearer {TOKEN}"}}"#),
        format!(r#"{{"message":"invalid key {url_encoded}"}}"#),
        format!("<html>denied: {TOKEN}</html>"),
        format!("{}{TOKEN}", "x".repeat(990)),
    ];
    for body in bodies {
        for status in [401, 500] {
            let url = respond(status, body.clone()).await;
            let error = client(&url).find_durable_run("trip").await.unwrap_err();
            assert_redacted(&error.chain());
        }
        let admin = RestateAdmin::new(&respond(403, body).await).unwrap().token(TOKEN);
        assert_redacted(&admin.register("http://worker").await.unwrap_err().chain());
    }
}

#[tokio::test]
async fn token_in_a_result_of_another_type_is_redacted() {
    let url = respond(200, format!(r#""{TOKEN}""#)).await;
    assert_redacted(&client(&url).find_durable_run("trip").await.unwrap_err().chain());
}

#[tokio::test]
async fn control_characters_in_an_error_message_are_escaped() {
    let url = respond(500, "a\u{1b}[2J\u{202e}b".to_owned()).await;
    let error = client(&url).find_durable_run("trip").await.unwrap_err().chain();
    assert!(!error.contains(['\u{1b}', '\u{202e}']), "{error:?}");
}
