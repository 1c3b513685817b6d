//! Unix sockets, and layers between a connection and HTTP.

#![cfg(unix)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt as _;
use tokio::runtime::Runtime;

use super::super::here::{Serving, calculator};
use crate::{packages, server};

const ASK: &str = "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

/// Returns the response to one request.
fn asked(mut stream: impl Read + Write) -> String {
    stream.write_all(ASK.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// Connects as soon as the server listens.
fn connect(path: &Path) -> UnixStream {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        match UnixStream::connect(path) {
            Ok(stream) => return stream,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn socket_is_there_as_long_as_its_server() {
    let path = packages::scratch("sockets-path").join("s.sock");
    let address = format!("unix:{}", path.display());
    // The socket file of a dead process is removed.
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let runtime = Runtime::new().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = calculator().http(&address).health("/health");
    let served = runtime.spawn(server.shutdown(async { drop(stopped.await) }).run());
    assert!(asked(connect(&path)).ends_with("{\"status\":\"ok\"}"));
    // A socket file that is in use is kept.
    let error = runtime.block_on(calculator().http(&address).run()).unwrap_err();
    assert!(error.to_string().contains("cannot listen on unix:"), "{error}");
    assert!(asked(connect(&path)).starts_with("HTTP/1.1 200"));
    stop.send(()).unwrap();
    runtime.block_on(served).unwrap().unwrap();
    assert!(!path.exists());
}

#[test]
fn socket_in_use_is_kept() {
    let path = packages::scratch("sockets-given").join("s.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let runtime = Runtime::new().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = calculator().unix_listener(listener).health("/health");
    let served = runtime.spawn(server.shutdown(async { drop(stopped.await) }).run());
    assert!(asked(connect(&path)).starts_with("HTTP/1.1 200"));
    stop.send(()).unwrap();
    runtime.block_on(served).unwrap().unwrap();
    assert!(path.exists());
}

#[test]
fn regular_file_at_the_socket_path_is_kept() {
    let path = packages::scratch("sockets-file").join("notes.txt");
    std::fs::write(&path, "mine").unwrap();
    let runtime = Runtime::new().unwrap();
    let server = calculator().http(format!("unix:{}", path.display()));
    runtime.block_on(server.run()).unwrap_err();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}

/// The command line accepts it, too.
#[test]
fn example_listens_on_a_socket() {
    let path = packages::scratch("sockets-cli").join("s.sock");
    let mut command = std::process::Command::new(server::example("quickstart"));
    command.args(["--http", &format!("unix:{}", path.display())]).env_remove("RUST_LOG");
    let server = server::Server::spawn(&mut command);
    assert_eq!(server.url(), format!("unix:{}", path.display()));
    assert!(asked(connect(&path)).starts_with("HTTP/1.1 200"));
}

/// An acceptor that stands for TLS: it requires a password first.
#[test]
fn connections_go_through_the_programs_acceptor() {
    let server = calculator().health("/health").accept_with(|mut stream| async move {
        let mut word = [0; 6];
        stream.read_exact(&mut word).await?;
        if &word != b"sesame" {
            return Err(std::io::Error::other("not the word"));
        }
        Ok(stream)
    });
    let serving = Serving::of(server);
    let say = |word: &str| {
        let mut stream = TcpStream::connect(serving.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(word.as_bytes()).unwrap();
        asked(stream)
    };
    assert!(say("sesame").starts_with("HTTP/1.1 200"));
    assert_eq!(say("please"), "");
    // Refused connections did not end the others.
    assert!(say("sesame").starts_with("HTTP/1.1 200"));
}
