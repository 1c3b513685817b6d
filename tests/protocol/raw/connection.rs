//! One connection: sends bytes, and reads a response or an event stream.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// A connection to a server.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    /// The part of the body that is still expected.
    body: Body,
    /// An incomplete event of a stream.
    partial: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Body {
    /// This number of bytes.
    Length(usize),
    /// Chunks, with the remaining bytes of the current one.
    Chunked(usize),
    /// Everything until the connection is closed.
    UntilClosed,
}

/// A response, whose body is read on demand.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// The body, if it was read completely.
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"))
    }

    /// Returns the JSON-RPC messages in it.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if !self.is_stream() {
            return serde_json::from_str(&self.text).into_iter().collect();
        }
        let data = self.text.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
    }

    /// Returns the code of the JSON-RPC error in it.
    pub(crate) fn code(&self) -> Option<i64> {
        self.messages().iter().find_map(|message| message["error"]["code"].as_i64())
    }
}

impl Connection {
    /// Connects from an address of this machine.
    pub(crate) async fn open(to: SocketAddr, from: Ipv4Addr) -> io::Result<Self> {
        Self::open_with(to, from, None).await
    }

    /// Connects with a small receive buffer, so that the server soon notices a client that does not read.
    pub(crate) async fn open_small(to: SocketAddr, from: Ipv4Addr) -> io::Result<Self> {
        Self::open_with(to, from, Some(4096)).await
    }

    async fn open_with(to: SocketAddr, from: Ipv4Addr, buffer: Option<u32>) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        if let Some(size) = buffer {
            socket.set_recv_buffer_size(size)?;
        }
        socket.bind((from, 0).into())?;
        let stream = socket.connect(to).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), body: Body::Length(0), partial: Vec::new() })
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes).await
    }

    /// Reads one byte; `None` is the end.
    pub(crate) async fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        Ok((self.stream.read(&mut byte).await? > 0).then_some(byte[0]))
    }

    /// Returns the status and headers of the next response.
    pub(crate) async fn head(&mut self) -> io::Result<Answer> {
        let first = self.line().await?;
        let status = first.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| strange(&format!("no status: {first:?}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line().await?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let answer = Answer { status, headers, text: String::new() };
        self.partial.clear();
        self.body = match (answer.header("transfer-encoding"), answer.header("content-length")) {
            (Some("chunked"), _) => Body::Chunked(0),
            (_, Some(length)) => Body::Length(length.parse().map_err(|_| strange(length))?),
            _ if matches!(status, 202 | 204 | 304) => Body::Length(0),
            _ => Body::UntilClosed,
        };
        Ok(answer)
    }

    /// Returns the next response with its whole body.
    pub(crate) async fn answer(&mut self) -> io::Result<Answer> {
        let mut answer = self.head().await?;
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece().await? {
            bytes.extend(piece);
        }
        answer.text = String::from_utf8(bytes).map_err(|_| strange("no UTF-8"))?;
        Ok(answer)
    }

    /// Returns the message of the next event that has one; `None` is the end of the stream.
    pub(crate) async fn event(&mut self) -> io::Result<Option<Value>> {
        loop {
            while let Some(end) = self.partial.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.partial.drain(..end + 2).collect();
                let text = String::from_utf8(event).map_err(|_| strange("no UTF-8"))?;
                let data: String =
                    text.lines().filter_map(|line| line.strip_prefix("data:")).collect();
                if !data.trim().is_empty() {
                    let message = serde_json::from_str(data.trim());
                    return message.map(Some).map_err(|_| strange(&data));
                }
            }
            match self.piece().await? {
                Some(piece) => self.partial.extend(piece),
                None => return Ok(None),
            }
        }
    }

    /// Returns the next piece of the body; `None` is its end.
    async fn piece(&mut self) -> io::Result<Option<Vec<u8>>> {
        let left = match &mut self.body {
            Body::Length(0) => return Ok(None),
            Body::UntilClosed => usize::MAX,
            Body::Length(left) => *left,
            Body::Chunked(0) => {
                let line = self.line().await?;
                let size = usize::from_str_radix(line.trim(), 16).map_err(|_| strange(&line))?;
                if size == 0 {
                    self.line().await?;
                    self.body = Body::Length(0);
                    return Ok(None);
                }
                self.body = Body::Chunked(size);
                size
            }
            Body::Chunked(left) => *left,
        };
        let found = self.stream.fill_buf().await?;
        if found.is_empty() {
            return match self.body {
                Body::UntilClosed => Ok(None),
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            };
        }
        let piece = found[..found.len().min(left)].to_vec();
        self.stream.consume(piece.len());
        self.body = match self.body {
            Body::Length(left) => Body::Length(left - piece.len()),
            Body::Chunked(left) if left == piece.len() => {
                self.line().await?;
                Body::Chunked(0)
            }
            Body::Chunked(left) => Body::Chunked(left - piece.len()),
            Body::UntilClosed => Body::UntilClosed,
        };
        Ok(Some(piece))
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).await?;
        if !line.ends_with(b"\n") {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = String::from_utf8(line).map_err(|_| strange("no UTF-8"))?;
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

fn strange(what: &str) -> io::Error {
    let what: String = what.chars().take(200).collect();
    io::Error::new(io::ErrorKind::InvalidData, what)
}
