//! A connection that is read and written by hand.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpSocket;

/// The time limit of a response.
const PATIENCE: Duration = Duration::from_secs(20);

/// One connection.
pub(super) struct Raw(BufReader<TcpStream>);

/// The head of an answer.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) headers: String,
}

impl Head {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Raw {
    pub(super) fn to(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).expect("a connection"))
    }

    /// Connects from another address of this machine.
    pub(super) fn from(last: u8, address: SocketAddr) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let socket = runtime.block_on(async {
            let socket = TcpSocket::new_v4()?;
            socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
            socket.connect(address).await?.into_std()
        })?;
        socket.set_nonblocking(false)?;
        Ok(Self::over(socket))
    }

    fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_nodelay(true).expect("no delay");
        Self(BufReader::new(stream))
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    /// Sets a short time limit for writes, in case the server does not read.
    pub(super) fn set_patience_to_write(&self) {
        self.0.get_ref().set_write_timeout(Some(Duration::from_millis(50))).expect("a timeout");
    }

    /// Posts a message with the usual headers and these.
    pub(super) fn post(&mut self, headers: &[(&str, &str)], message: &Value) {
        let (body, mut head) = (message.to_string(), String::new());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{head}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.send(request.as_bytes()).expect("sent");
    }

    pub(super) fn get(&mut self, headers: &[(&str, &str)]) {
        let mut head = String::new();
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let request = format!(
            "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n{head}\r\n"
        );
        self.send(request.as_bytes()).expect("sent");
    }

    /// Reads the head of a response. `None` is the end of the connection.
    pub(super) fn head(&mut self) -> Option<Head> {
        let mut status = String::new();
        if self.0.read_line(&mut status).ok()? == 0 {
            return None;
        }
        let mut headers = String::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).ok()?;
            if line == "\r\n" {
                break;
            }
            headers += &line.to_ascii_lowercase();
        }
        let status = status.split(' ').nth(1)?.parse().ok()?;
        Some(Head { status, headers })
    }

    /// Reads a body with a length.
    pub(super) fn body(&mut self, head: &Head) -> String {
        let length = head.header("content-length").expect("a length").trim().parse().unwrap();
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("a body");
        String::from_utf8(body).expect("a text")
    }

    /// Reads one chunk of a body without a length. The chunk is empty at the end of the body.
    pub(super) fn chunk(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a size");
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or_else(|_| panic!("{line:?}"));
        let mut chunk = vec![0; size + 2];
        self.0.read_exact(&mut chunk).expect("a chunk");
        chunk.truncate(size);
        String::from_utf8(chunk).expect("a text")
    }

    /// Reads all chunks of a body without a length.
    pub(super) fn chunks(&mut self) -> String {
        let mut all = String::new();
        loop {
            let chunk = self.chunk();
            if chunk.is_empty() {
                return all;
            }
            all += &chunk;
        }
    }

    /// Returns whether the server has closed the connection.
    pub(super) fn has_ended(&mut self) -> bool {
        let mut byte = [0];
        match self.0.read(&mut byte) {
            Ok(0) => true,
            Ok(_) => false,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}
