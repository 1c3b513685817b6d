//! A server on loopback that follows a script, and calls to it.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use genkit::model::{ChunkSink, Model, ModelRequest, ModelResponse};
use genkit::{Error, ErrorKind, Message, Result};

use crate::cases;

pub(crate) const KEY: &str = "AIza-never-to-be-seen";

/// Longer than any operation here, so that a test that hangs fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A server on loopback. `serve` receives the first connection after its request was read.
pub(super) struct Server {
    pub(super) url: String,
    pub(super) host: String,
    served: JoinHandle<()>,
}

pub(super) fn serves(serve: impl FnOnce(TcpStream, String) + Send + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let asked = read_request(&mut stream);
        serve(stream, asked);
    });
    Server { url: format!("http://{host}/base/"), host, served }
}

impl Server {
    /// Waits until everything is sent. Its thread is joined outside the runtime, which must continue in order to
    /// close connections.
    pub(super) async fn served(self) {
        tokio::task::spawn_blocking(|| self.served.join().expect("the server succeeds"))
            .await
            .unwrap();
    }
}

/// Returns whether the caller closed the connection.
pub(super) fn is_closed(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

/// Returns a server that responds with these bytes and closes the connection.
pub(super) fn says(answer: impl Into<Vec<u8>>) -> Server {
    let answer = answer.into();
    serves(move |mut stream, _| {
        // The caller may disconnect early.
        let _ = stream.write_all(&answer);
    })
}

/// Reads one request, and returns its head and its body.
pub(crate) fn read_request(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut asked, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).unwrap();
        assert_ne!(count, 0, "the request ended early");
        asked.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&asked);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return text.into_owned();
        }
    }
}

pub(crate) fn http(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

pub(super) const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Formats one event of a stream as an HTTP chunk.
pub(super) fn event(text: &str) -> String {
    let data = serde_json::json!({"candidates": [{"content": {"parts": [{"text": text}]}}]});
    let event = format!("data: {data}\r\n\r\n");
    format!("{:x}\r\n{event}\r\n", event.len())
}

pub(super) fn gemini(url: &str) -> Arc<dyn Model> {
    cases::model_with("gemini", "gemini-2.5-flash", url, KEY, None)
}

pub(super) async fn ask(model: &dyn Model, chunks: ChunkSink) -> Result<ModelResponse> {
    let request = ModelRequest::new([Message::user("hi")]);
    let answer = tokio::time::timeout(PATIENCE, model.generate(&request, &chunks)).await;
    answer.expect("an answer or an error")
}

/// Returns a sink, and the text of the chunks that it received.
pub(crate) fn listening() -> (ChunkSink, Arc<Mutex<String>>) {
    let text = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&text);
    (ChunkSink::new(move |chunk| seen.lock().unwrap().push_str(&chunk.text())), text)
}

pub(super) async fn unary(url: &str) -> Result<String> {
    Ok(ask(&*gemini(url), ChunkSink::none()).await?.message.unwrap().text())
}

/// Returns the outcome of a streamed call, and the text that came before it.
pub(super) async fn streamed(url: &str) -> (Result<String>, String) {
    let (sink, text) = listening();
    let result = ask(&*gemini(url), sink).await.map(|response| response.message.unwrap().text());
    let text = text.lock().unwrap().clone();
    (result, text)
}

/// Checks the kind, that the message contains each text, and that it does not contain the key or the query.
#[track_caller]
pub(super) fn assert_says(error: &Error, kind: ErrorKind, texts: &[&str]) {
    let whole = format!("{error:?} {}", error.chain());
    assert_eq!(error.kind(), kind, "{whole}");
    for text in texts {
        assert!(error.to_string().contains(text), "{text:?} is not in: {whole}");
    }
    assert!(
        !whole.contains(KEY) && !whole.contains("alt=sse") && !whole.contains("http://"),
        "{whole}"
    );
}
