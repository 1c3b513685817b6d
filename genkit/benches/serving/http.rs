//! Measurements of servers behind HTTP, with clients that keep their connections open.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use super::Effort;
use super::client::{INITIALIZE, INITIALIZED, Server, call};
use super::table::{Budget, Figure, median};

const CLIENTS: usize = 16;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Era {
    /// 2025-11-25, with a session for each client.
    Sessions,
    /// 2025-11-25 without sessions.
    Stateless,
    /// 2026-07-28: each request is independent.
    Modern,
}

pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    /// The headers that are the same for every request.
    headers: String,
    request: Vec<u8>,
    body: Vec<u8>,
}

impl Client {
    fn open(port: u16, era: Era) -> Self {
        Self::over(connect(port), port, era)
    }

    /// Creates a client on this connection. Opens a session if the version has sessions.
    pub(crate) fn over(stream: TcpStream, port: u16, era: Era) -> Self {
        stream.set_nodelay(true).unwrap();
        let headers = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n"
        );
        let stream = BufReader::new(stream);
        let mut client = Self { stream, headers, request: Vec::new(), body: Vec::new() };
        if era == Era::Modern {
            client.headers +=
                "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: add\r\n";
            return client;
        }
        if era == Era::Stateless {
            client.headers += "mcp-protocol-version: 2025-11-25\r\n";
            return client;
        }
        client.session();
        client
    }

    /// Opens a session, whose headers are added to later requests.
    pub(crate) fn session(&mut self) {
        let end = self.headers.find("mcp-").unwrap_or(self.headers.len());
        self.headers.truncate(end);
        if let Some(session) = self.post(INITIALIZE) {
            self.headers += &format!("mcp-session-id: {session}\r\n");
        }
        self.headers += "mcp-protocol-version: 2025-11-25\r\n";
        self.post(INITIALIZED);
    }

    /// Sends a message in one write, reads the whole response, and returns its session id.
    fn post(&mut self, message: &str) -> Option<String> {
        self.request.clear();
        let length = message.len();
        write!(self.request, "{}content-length: {length}\r\n\r\n{message}", self.headers).unwrap();
        self.stream.get_mut().write_all(&self.request).unwrap();
        let status = self.line();
        assert!(status.starts_with("HTTP/1.1 20"), "{status}");
        let (mut length, mut chunked, mut session) = (0, false, None);
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else { break };
            match &*name.to_ascii_lowercase() {
                "content-length" => length = value.parse().unwrap(),
                "transfer-encoding" => chunked = value == "chunked",
                "mcp-session-id" => session = Some(value.to_owned()),
                _ => {}
            }
        }
        self.body.clear();
        if !chunked {
            self.take(length);
            return session;
        }
        loop {
            let size = usize::from_str_radix(&self.line(), 16).unwrap();
            self.take(size);
            self.line();
            if size == 0 {
                return session;
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn take(&mut self, count: usize) {
        let start = self.body.len();
        self.body.resize(start + count, 0);
        self.stream.read_exact(&mut self.body[start..]).unwrap();
    }
}

pub(crate) fn connect(port: u16) -> TcpStream {
    let started = Instant::now();
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(error) => assert!(started.elapsed() < Duration::from_secs(10), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns a call in the format of `era`.
fn message(era: Era, id: usize) -> String {
    let message = call(id);
    if era != Era::Modern {
        return message;
    }
    let meta = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    message.strip_suffix("}}").unwrap().to_owned() + meta
}

/// Returns a free port.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Returns the median time of a call, and the server's processor time per call, in microseconds.
fn measure(name: &str, era: Era, effort: &Effort) -> (f64, f64) {
    let port = free_port();
    let server = Server::start(name, Some(port));
    let (ready, begin) = (Barrier::new(CLIENTS + 1), Barrier::new(CLIENTS + 1));
    let (times, spent) = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| scope.spawn(|| one_client(port, era, effort.burst, [&ready, &begin])))
            .collect();
        ready.wait();
        let before = server.cpu();
        begin.wait();
        let times: Vec<f64> = clients.into_iter().flat_map(|it| it.join().unwrap()).collect();
        (times, server.cpu() - before)
    });
    let calls = times.len() as f64;
    (median(times), spent / calls)
}

fn one_client(port: u16, era: Era, burst: Duration, [ready, begin]: [&Barrier; 2]) -> Vec<f64> {
    let mut client = Client::open(port, era);
    for id in 1..=20 {
        client.post(&message(era, id));
    }
    let answer = String::from_utf8_lossy(&client.body);
    assert!(answer.contains("\"22\""), "{answer}");
    ready.wait();
    begin.wait();
    let (started, mut times) = (Instant::now(), Vec::new());
    while started.elapsed() < burst {
        let message = message(era, times.len() + 100);
        let sent = Instant::now();
        client.post(&message);
        times.push(sent.elapsed().as_secs_f64() * 1e6);
    }
    times
}

/// The figures of one protocol version.
struct Compared {
    servers: &'static [&'static str],
    rmcp: &'static str,
    titles: [&'static str; 2],
    budget: f64,
}

/// Measures calls of 16 clients at once.
pub(crate) fn calls(effort: &Effort, era: Era) -> Vec<Figure> {
    let Compared { servers, rmcp, titles, budget } = match era {
        Era::Sessions => Compared {
            servers: &[
                "bare-hyper",
                "bare-http",
                "rmcp-http-examples",
                "rmcp-http-nodelay",
                "ours-http",
            ],
            rmcp: "rmcp-http-nodelay",
            titles: ["http, 16 clients with sessions, p50, us", "http, the same, server CPU, us"],
            budget: 3.0,
        },
        Era::Stateless => Compared {
            servers: &["bare-hyper", "bare-http", "rmcp-http-stateless", "ours-http-stateless"],
            rmcp: "rmcp-http-stateless",
            titles: [
                "http, 16 clients without sessions, p50, us",
                "http, the same, server CPU, us",
            ],
            budget: 2.0,
        },
        Era::Modern => Compared {
            servers: &["bare-hyper", "bare-http", "rmcp-http-stateless", "ours-http"],
            rmcp: "rmcp-http-stateless",
            titles: ["http, 16 clients of 2026-07-28, p50, us", "http, the same, server CPU, us"],
            budget: 2.0,
        },
    };
    let mut p50 = Figure::new(titles[0], servers, rmcp, Budget::None);
    let mut cpu = Figure::new(titles[1], servers, rmcp, Budget::Times(budget));
    for _ in 0..effort.rounds {
        for (place, name) in servers.iter().enumerate() {
            let (middle, spent) = measure(name, era, effort);
            p50.add(place, middle);
            cpu.add(place, spent);
        }
    }
    vec![p50, cpu]
}
