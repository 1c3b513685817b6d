//! Tests of the redirect of a browser to a local port.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

use genkit_oauth_client::CallbackListener;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Returns the status and the text of the response to a browser.
async fn get(url: &str) -> (u16, String) {
    let (at, path) = url["http://".len()..].split_once('/').unwrap();
    let mut stream = tokio::net::TcpStream::connect(at).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {at}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, page) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.strip_prefix("HTTP/1.1 ").unwrap()[..3].parse().unwrap();
    let length = format!("Content-Length: {}\r\n", page.len());
    assert!(head.contains(&length), "{head}");
    (status, page.to_owned())
}

#[tokio::test]
async fn only_the_answer_with_the_right_state_ends_the_wait() {
    let listener = CallbackListener::bind(None, None).await.unwrap();
    let uri = listener.uri().to_owned();
    assert!(uri.starts_with("http://127.0.0.1:") && uri.ends_with("/callback"));
    let idle = tokio::net::TcpStream::connect(uri[7..].trim_end_matches("/callback")).await;
    let waiting = tokio::spawn(async move { listener.wait_for_callback("s1").await });
    let favicon = uri.replace("/callback", "/favicon.ico");
    assert_eq!(get(&favicon).await.0, 404);
    let (status, page) = get(&format!("{uri}?code=a&state=%3Cb%3E")).await;
    assert!(status == 400 && !page.contains("<b>"), "{page}");
    assert!(!waiting.is_finished());
    let (status, page) = get(&format!("{uri}?code=a%20b&state=s1")).await;
    assert!(status == 200 && page.contains("Access was granted"), "{page}");
    assert_eq!(waiting.await.unwrap(), format!("{uri}?code=a%20b&state=s1"));
    drop(idle);
}

#[tokio::test]
async fn occupied_port_is_an_error_only_if_explicit() {
    let taken = CallbackListener::bind(None, None).await.unwrap();
    let error = CallbackListener::bind(Some(taken.uri()), None).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("cannot listen for the browser at 127.0.0.1:"), "{error}");
    let port = url::Url::parse(taken.uri()).unwrap().port();
    let other = CallbackListener::bind(None, port).await.unwrap();
    assert_ne!(other.uri(), taken.uri());
}

#[tokio::test]
async fn incomplete_request_does_not_block_the_callback() {
    for (uri, host) in [(None, "127.0.0.1"), (Some("http://127.0.0.2/callback"), "127.0.0.2")] {
        let listener = CallbackListener::bind(uri, None).await.unwrap();
        let uri = listener.uri().to_owned();
        let at = uri[7..].trim_end_matches("/callback").to_owned();
        assert!(at.starts_with(host));
        let waiting = tokio::spawn(async move { listener.wait_for_callback("s1").await });
        let mut slow = tokio::net::TcpStream::connect(&at).await.unwrap();
        slow.write_all(b"GET /callback?code=a&state=s1 HTTP/1.1\r\n").await.unwrap();
        assert_eq!(get(&uri.replace("/callback", "/favicon.ico")).await.0, 404);
        slow.write_all(b"\r\n").await.unwrap();
        let patience = std::time::Duration::from_secs(5);
        let callback = tokio::time::timeout(patience, waiting).await.expect("the answer");
        assert!(callback.unwrap().contains("code=a"));
    }
}
