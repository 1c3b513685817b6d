//! A balancer without stickiness: each request goes to the next instance, whoever sends it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long the head of a request may be.
const MAX_HEAD: usize = 64 * 1024;

/// How long a client may take for it, and an instance for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many connections there may be.
const MAX_CONNECTIONS: usize = 1024;

/// Where requests go.
struct Instances {
    addresses: Vec<SocketAddr>,
    next: AtomicUsize,
}

/// Balances what comes to `listener`, for ever.
pub(crate) async fn balance(listener: TcpListener, addresses: Vec<SocketAddr>) -> io::Result<()> {
    let instances = Arc::new(Instances { addresses, next: AtomicUsize::new(0) });
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        let (client, _) = listener.accept().await?;
        let instances = Arc::clone(&instances);
        tokio::spawn(async move {
            // What goes wrong there is seen by the client.
            let _ = pass(client, &instances).await;
            drop(place);
        });
    }
}

/// One request, and its answer, over connections of their own.
async fn pass(mut client: TcpStream, instances: &Instances) -> io::Result<()> {
    let head = match timeout(PATIENCE, head_of(&mut client)).await {
        Ok(head) => head?,
        Err(_) => return Ok(()),
    };
    if head.is_empty() {
        return Ok(());
    }
    let Some(mut instance) = instances.connect().await else {
        return refuse(&mut client, "503 Service Unavailable", "no instance is there").await;
    };
    instance.write_all(&head).await?;
    let ((mut asks, mut reads), (mut answers, mut hears)) = (client.split(), instance.split());
    let up = async {
        let _ = tokio::io::copy(&mut asks, &mut hears).await;
        let _ = hears.shutdown().await;
        std::future::pending::<()>().await;
    };
    let down = async {
        // It was sent to this one, which may have done what it says: nobody else gets it.
        match tokio::io::copy(&mut answers, &mut reads).await {
            Ok(0) => {
                refuse(&mut reads, "502 Bad Gateway", "the instance ended without an answer").await
            }
            Ok(_) => reads.shutdown().await,
            // No end: the client must not take for whole what is not.
            Err(error) => Err(error),
        }
    };
    tokio::select! {
        () = up => Ok(()),
        done = down => done,
    }
}

/// The head of a request, to which the connection ends with its answer. Empty where there is none.
async fn head_of(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let (mut read, mut piece) = (Vec::new(), [0; 4096]);
    let end = loop {
        let count = client.read(&mut piece).await?;
        if count == 0 || read.len() > MAX_HEAD {
            return Ok(Vec::new());
        }
        read.extend_from_slice(&piece[..count]);
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
    };
    let (lines, body) = (&read[..end], &read[end + 4..]);
    let mut head = Vec::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii_end();
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        if !name.eq_ignore_ascii_case(b"connection") {
            head.extend_from_slice(line);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.extend_from_slice(b"connection: close\r\n\r\n");
    head.extend_from_slice(body);
    Ok(head)
}

impl Instances {
    /// A connection to the next one that takes it.
    async fn connect(&self) -> Option<TcpStream> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        for step in 0..self.addresses.len() {
            let address = self.addresses[(first + step) % self.addresses.len()];
            if let Ok(Ok(instance)) = timeout(PATIENCE, TcpStream::connect(address)).await {
                return Some(instance);
            }
        }
        None
    }
}

async fn refuse(
    client: &mut (impl tokio::io::AsyncWrite + Unpin),
    status: &str,
    why: &str,
) -> io::Result<()> {
    let length = why.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{why}"
    );
    client.write_all(answer.as_bytes()).await?;
    client.shutdown().await
}
