//! A server as a child process, and clients that keep their connections open.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CLIENTS: usize = 8;

/// A server process, killed on drop.
pub(crate) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts this program again, as the server with the given name.
    pub(crate) fn start(name: &str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--serve", name, &port.to_string()]).stdin(Stdio::null());
        let child = command.env_remove("GENKIT_ENV").spawn().unwrap();
        let server = Self { child, port };
        drop(server.connect());
        server
    }

    fn connect(&self) -> TcpStream {
        let started = Instant::now();
        loop {
            match TcpStream::connect(("127.0.0.1", self.port)) {
                Ok(stream) => {
                    stream.set_nodelay(true).unwrap();
                    return stream;
                }
                Err(error) => assert!(started.elapsed() < Duration::from_secs(10), "{error}"),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the processor microseconds of all its threads: fields 14 and 15 of `/proc/PID/stat`.
    fn cpu(&self) -> f64 {
        /// The unit is hundredths of a second on all current Linux systems.
        const TICK: f64 = 10_000.0;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11..13].iter().map(|field| field.parse::<f64>().unwrap()).sum::<f64>() * TICK
    }

    /// Returns the processor time that the server spends on one request.
    pub(crate) fn measure(&self, path: &str, body: &str, burst: Duration) -> f64 {
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        );
        let before = self.cpu();
        let calls = std::thread::scope(|scope| {
            let clients: Vec<_> =
                (0..CLIENTS).map(|_| scope.spawn(|| self.one_client(&request, burst))).collect();
            clients.into_iter().map(|client| client.join().unwrap()).sum::<usize>()
        });
        (self.cpu() - before) / calls as f64
    }

    fn one_client(&self, request: &str, burst: Duration) -> usize {
        let mut connection = BufReader::with_capacity(1 << 16, self.connect());
        let (started, mut calls, mut line, mut piece) =
            (Instant::now(), 0, String::new(), Vec::new());
        while started.elapsed() < burst {
            connection.get_mut().write_all(request.as_bytes()).unwrap();
            let (mut length, mut chunked) = (0, false);
            read_line(&mut connection, &mut line);
            assert!(line.starts_with("HTTP/1.1 200"), "{line}");
            while !line.is_empty() {
                read_line(&mut connection, &mut line);
                if let Some(value) = line.strip_prefix("content-length: ") {
                    length = value.parse().unwrap();
                }
                chunked |= line == "transfer-encoding: chunked";
            }
            while chunked {
                read_line(&mut connection, &mut line);
                let size = usize::from_str_radix(&line, 16).unwrap();
                piece.resize(size + 2, 0);
                connection.read_exact(&mut piece).unwrap();
                chunked = size > 0;
            }
            piece.resize(length, 0);
            connection.read_exact(&mut piece).unwrap();
            calls += 1;
        }
        calls
    }
}

fn read_line(connection: &mut BufReader<TcpStream>, line: &mut String) {
    line.clear();
    connection.read_line(line).unwrap();
    line.truncate(line.trim_end().len());
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
