//! Flows over HTTP: a real server over a real socket.

mod client;
mod durable;
mod leaving;
mod limits;
mod pages;
mod providers;
mod specs;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use genkit::flows::FlowServer;
use genkit::{Action, Genkit, Registry};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The time limit of each step of a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns a flow server with only these actions.
fn serving<A: Into<Action>>(actions: impl IntoIterator<Item = A>) -> FlowServer {
    let registry = Registry::new().add(actions);
    Genkit::builder().registry(registry).build().expect("the registry is valid").serve_flows()
}

/// A listening server, stopped on drop.
struct Listening {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<genkit::Result<()>>,
}

impl Listening {
    async fn start(server: FlowServer) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, told) = oneshot::channel();
        let server = server
            .http("127.0.0.1:0")
            .on_listening(move |address| {
                tell.send(address).expect("the test waits for the address")
            })
            .shutdown(async move {
                if stopped.await.is_err() {
                    std::future::pending::<()>().await;
                }
            });
        let served = tokio::spawn(server.run());
        Self { address: told.await.expect("it listens"), stop: Some(stop), served }
    }

    fn url(&self, flow: &str) -> String {
        format!("http://{}/{flow}", self.address)
    }

    /// Requests the shutdown of the server.
    fn stop(&mut self) {
        let stop = self.stop.take().expect("it was not stopped yet");
        stop.send(()).expect("it runs");
    }

    /// Waits until the server has stopped.
    async fn ended(&mut self) {
        let ended = tokio::time::timeout(PATIENCE, &mut self.served).await;
        ended
            .expect("it ends")
            .expect("it does not panic")
            .expect("the server ends without an error");
    }

    /// Sends a request, and reads the response until the connection closes.
    async fn send(&self, request: impl Into<Sent>) -> Answer {
        let (address, sent) = (self.address, request.into());
        let answer = tokio::task::spawn_blocking(move || exchange(address, &sent));
        answer.await.expect("it does not panic")
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// A request as bytes.
#[derive(Clone)]
struct Sent {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// `POST path` with JSON.
fn post(path: &str, body: &Value) -> Sent {
    Sent::new("POST", path).header("content-type", "application/json").body(body.to_string())
}

/// Returns a streamed request.
fn stream(path: &str, body: &Value) -> Sent {
    post(path, body).header("accept", "text/event-stream")
}

impl Sent {
    fn new(method: &str, path: &str) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { method, path, headers: Vec::new(), body: Vec::new() }
    }

    fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    fn bytes(&self, address: SocketAddr) -> Vec<u8> {
        let Self { method, path, headers, body } = self;
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| name == "host") {
            text += &format!("host: {address}\r\n");
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("content-length: {}\r\n\r\n", body.len());
        [text.into_bytes(), body.clone()].concat()
    }
}

/// Sends a request on a new connection.
fn open(address: SocketAddr, sent: &Sent) -> TcpStream {
    let mut connection = TcpStream::connect(address).expect("it listens");
    connection.set_read_timeout(Some(PATIENCE)).expect("a socket");
    connection.write_all(&sent.bytes(address)).expect("it is sent");
    connection
}

fn exchange(address: SocketAddr, sent: &Sent) -> Answer {
    let mut bytes = Vec::new();
    open(address, sent).read_to_end(&mut bytes).expect("the answer ends");
    Answer::parse(&bytes)
}

/// A parsed response.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = std::str::from_utf8(&bytes[..end]).expect("an ASCII head");
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').expect("a header");
            (name.to_ascii_lowercase(), value.trim().to_owned())
        });
        let mut answer = Self {
            status: status.parse().expect("a number"),
            headers: headers.collect(),
            body: bytes[end + 4..].to_vec(),
        };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = dechunked(&answer.body);
        }
        answer
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the frames of a stream, whose format is checked byte by byte.
    fn frames(&self) -> Vec<Value> {
        let text = self.text();
        assert!(text.is_ascii() && !text.contains('\r'), "{text}");
        assert!(text.ends_with("\n\n"), "{text}");
        let frames = text.trim_end_matches("\n\n").split("\n\n").map(|frame| {
            let json = frame.strip_prefix("data: ").unwrap_or_else(|| panic!("{frame}"));
            assert!(!json.contains('\n'), "{frame}");
            serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {frame}"))
        });
        frames.collect()
    }

    /// Returns the status name of an error, plain or at the end of a stream.
    fn status_name(&self) -> String {
        let error = match self.header("content-type") {
            Some("text/event-stream") => self.frames().pop().expect("a frame")["error"].clone(),
            _ => self.json(),
        };
        error["status"].as_str().unwrap_or_default().to_owned()
    }
}

fn dechunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").expect("a size");
        let size = std::str::from_utf8(&body[..end]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a hexadecimal size");
        if size == 0 {
            return whole;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 4 + size..];
    }
}
