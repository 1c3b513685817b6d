//! A raw server on loopback that records one request and responds in pieces of a given size.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Map, Value, json};

/// The time for which the server waits for its client.
const PATIENCE: Duration = Duration::from_secs(20);

/// The way in which a body is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// In one piece, with its length.
    Whole,
    /// In HTTP chunks of this many bytes.
    Pieces(usize),
}

/// Every split that must be handled.
pub const CUTS: [Cut; 4] = [Cut::Whole, Cut::Pieces(1), Cut::Pieces(7), Cut::Pieces(1000)];

/// A response to send.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub cut: Cut,
}

/// A server that responds once.
pub struct Replay {
    /// `http://127.0.0.1:PORT`
    pub url: String,
    thread: JoinHandle<std::io::Result<Value>>,
}

impl Replay {
    /// Answers the next request.
    pub fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            let (stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            let request = read(&stream)?;
            // A client that has received an error or the end mark may disconnect.
            let _ = write(&stream, &answer);
            Ok(request)
        });
        Self { url, thread }
    }

    /// Returns the request in the form of a fixture's `request`. Returns `None` if no complete request arrived.
    pub fn request(self) -> Option<Value> {
        if !self.thread.is_finished() {
            // A client that sent nothing must not make the test wait.
            let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        }
        self.thread.join().unwrap().ok()
    }
}

fn read(stream: &TcpStream) -> std::io::Result<Value> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let query = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key.to_owned(), Value::from(value))
    });
    let mut request = json!({
        "method": method, "path": path, "query": query.collect::<Map<_, _>>(),
    });
    let mut headers = Map::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().into());
    }
    let length = headers.get("content-length").and_then(Value::as_str);
    let length: usize = length.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request["headers"] = headers.into();
    request["body"] = serde_json::from_slice(&body).unwrap_or_default();
    Ok(request)
}

fn write(mut stream: &TcpStream, answer: &Answer) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} Recorded\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match answer.cut {
        Cut::Whole => {
            head.push_str(&format!("content-length: {}\r\n\r\n", answer.body.len()));
            stream.write_all(head.as_bytes())?;
            stream.write_all(&answer.body)
        }
        Cut::Pieces(size) => {
            head.push_str("transfer-encoding: chunked\r\n\r\n");
            stream.write_all(head.as_bytes())?;
            let mut chunk = Vec::with_capacity(size + 16);
            for piece in answer.body.chunks(size) {
                chunk.clear();
                write!(chunk, "{:x}\r\n", piece.len())?;
                chunk.extend_from_slice(piece);
                chunk.extend_from_slice(b"\r\n");
                stream.write_all(&chunk)?;
                stream.flush()?;
            }
            stream.write_all(b"0\r\n\r\n")
        }
    }
}
