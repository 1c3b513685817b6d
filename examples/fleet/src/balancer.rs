//! A load balancer without sticky sessions: each request goes to the next instance, regardless of the client.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// The maximum size of the head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// The time limit for reading the head, and for connecting to an instance.
const PATIENCE: Duration = Duration::from_secs(10);

/// The maximum time between two parts of a response, which is longer than any tool call.
const SILENCE: Duration = Duration::from_secs(900);

/// The maximum number of connections. A client can hold at most as many as it leaves free.
const MAX_CONNECTIONS: usize = 1024;

/// The number of connections of each client.
#[derive(Default)]
struct Connections(Mutex<HashMap<IpAddr, usize>>);

/// A connection that counts for a client until this is dropped.
struct CountedConnection {
    all: Arc<Connections>,
    client: IpAddr,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection of a client. Returns `None` if the client has used up its share.
    fn count(self: &Arc<Self>, client: IpAddr) -> Option<CountedConnection> {
        let mut held = self.lock();
        let left = MAX_CONNECTIONS - held.values().sum::<usize>();
        let own = held.entry(client).or_default();
        if *own >= left {
            return None;
        }
        *own += 1;
        Some(CountedConnection { all: Arc::clone(self), client })
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let mut held = self.all.lock();
        if let Some(own) = held.get_mut(&self.client) {
            *own -= 1;
        }
        held.retain(|_, own| *own > 0);
    }
}

/// The instances behind the balancer.
struct Instances {
    addresses: Vec<SocketAddr>,
    next: AtomicUsize,
}

/// Accepts and forwards connections indefinitely.
pub(crate) async fn balance(listener: TcpListener, addresses: Vec<SocketAddr>) -> io::Result<()> {
    let instances = Arc::new(Instances { addresses, next: AtomicUsize::new(0) });
    let connections = Arc::new(Connections::default());
    loop {
        let (client, address) = listener.accept().await?;
        // The client observes any error as a closed connection.
        let Some(counted) = connections.count(address.ip()) else { continue };
        let instances = Arc::clone(&instances);
        tokio::spawn(async move {
            let _ = pass(client, &instances).await;
            drop(counted);
        });
    }
}

/// Forwards one request and its response, over separate connections.
async fn pass(mut client: TcpStream, instances: &Instances) -> io::Result<()> {
    let head = match timeout(PATIENCE, head_of(&mut client)).await {
        Ok(head) => head?,
        Err(_) => return Ok(()),
    };
    if head.is_empty() {
        return Ok(());
    }
    let Some(mut instance) = instances.connect().await else {
        return send_error(&mut client, "503 Service Unavailable", "no instance is available")
            .await;
    };
    instance.write_all(&head).await?;
    let ((mut asks, mut reads), (mut answers, mut hears)) = (client.split(), instance.split());
    let up = async {
        let _ = tokio::io::copy(&mut asks, &mut hears).await;
        let _ = hears.shutdown().await;
        std::future::pending::<()>().await;
    };
    let down = async {
        // The instance may have executed the request, so do not send it to another instance.
        match copy_response(&mut answers, &mut reads).await {
            Ok(0) => {
                send_error(
                    &mut reads,
                    "502 Bad Gateway",
                    "the instance closed the connection without a response",
                )
                .await
            }
            Ok(_) => reads.shutdown().await,
            // Do not shut down cleanly; otherwise the client would treat a partial response as complete.
            Err(error) => Err(error),
        }
    };
    tokio::select! {
        () = up => Ok(()),
        done = down => done,
    }
}

/// Copies a response, and returns its size. Fails if the instance sends nothing, or the client reads nothing, for too
/// long.
async fn copy_response(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Result<usize> {
    let (mut piece, mut copied) = (vec![0; 16 * 1024], 0);
    loop {
        let count = timeout(SILENCE, from.read(&mut piece)).await??;
        if count == 0 {
            return Ok(copied);
        }
        timeout(SILENCE, to.write_all(&piece[..count])).await??;
        copied += count;
    }
}

/// Reads the head of a request and adds `connection: close`. Returns an empty head if there is no request or its head
/// is too large.
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
    /// Connects to the next available instance.
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

async fn send_error(
    client: &mut (impl AsyncWrite + Unpin),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_with_many_connections_leaves_some_for_others() {
        let connections = Arc::new(Connections::default());
        let (greedy, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let held: Vec<_> = std::iter::from_fn(|| connections.count(greedy)).collect();
        assert_eq!(held.len(), MAX_CONNECTIONS / 2);
        assert!(connections.count(other).is_some());
        drop(held);
        assert!(connections.lock().is_empty());
    }
}
