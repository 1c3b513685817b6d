//! Connections that send nothing, or never finish.

use std::process::Command;
use std::time::Duration;

use super::served;
use crate::raw::{self, Client, Connection, Era, Usage, host};
use crate::server::{self, Server};

/// Returns a server with few file descriptors.
fn with_few_descriptors() -> Server {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n 256; exec \"$0\" \"$@\""])
        .arg(server::example("conformance"))
        .args(["--http", "127.0.0.1:0"])
        .env_remove("RUST_LOG");
    Server::spawn(&mut command)
}

/// The ways in which a connection can remain without a request.
const SILENT: [&str; 5] = [
    "",
    "P",
    "POST /mcp HTTP/1.1\r\n",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
     content-length: 100\r\n\r\n{\"json",
    "GET /mcp HTTP/1.1\r\nhost: localhost\r\nx-long: ",
];

#[tokio::test]
async fn silent_connections_leave_room_for_others() {
    let server = with_few_descriptors();
    let to = raw::address(&server);
    let mut early = Client::open(to, host(1), Era::Sessions).await;
    let mut silent = Vec::new();
    for number in 0..400 {
        let opening = tokio::time::timeout(Duration::from_secs(2), Connection::open(to, host(3)));
        // If the system's backlog for the server is full, the connection is not even accepted.
        let Ok(Ok(mut connection)) = opening.await else { break };
        let _ = connection.send(SILENT[number % SILENT.len()].as_bytes()).await;
        silent.push(connection);
    }
    eprintln!("{} silent connections, {:?}", silent.len(), Usage::of(server.id()));
    served(&mut early).await;
    for era in Era::BOTH {
        let mut stranger = Client::open(to, host(2), era).await;
        served(&mut stranger).await;
    }
}

/// A client that sent one request and then keeps its connection counts as silent, too.
#[tokio::test]
async fn idle_connections_leave_room_for_others() {
    let server = with_few_descriptors();
    let to = raw::address(&server);
    let mut idle = Vec::new();
    for _ in 0..400 {
        let asking = async {
            let mut client = Client::open(to, host(3), Era::Modern).await;
            let _ = client.ask("tools/list", serde_json::json!({})).await;
            client
        };
        let Ok(client) = tokio::time::timeout(Duration::from_secs(3), asking).await else { break };
        idle.push(client);
    }
    eprintln!("{} idle connections, {:?}", idle.len(), Usage::of(server.id()));
    let mut stranger = Client::open(to, host(2), Era::Sessions).await;
    served(&mut stranger).await;
}

/// Clients that listen and clients that do not read are kept, but cannot take all connections.
#[tokio::test]
async fn streams_of_one_address_leave_room_for_others() {
    let server = with_few_descriptors();
    let to = raw::address(&server);
    let mut streams = Vec::new();
    for number in 0..400 {
        let mut client = Client::new(to, host(3), Era::BOTH[number % 2]);
        let opening = async {
            client = client.opened().await.ok()?;
            let wanted = serde_json::json!({ "toolsListChanged": true });
            let (_, message) = client
                .request("subscriptions/listen", serde_json::json!({ "notifications": wanted }));
            let bytes = match client.era {
                Era::Modern => client.bytes(&message),
                Era::Sessions => (client.head("GET") + "\r\n").into_bytes(),
            };
            let mut connection = client.connect().await.ok()?;
            connection.send(&bytes).await.ok()?;
            connection.head().await.ok()?;
            Some(connection)
        };
        match tokio::time::timeout(Duration::from_secs(2), opening).await {
            Ok(Some(connection)) => streams.push(connection),
            Ok(None) => {}
            Err(_) => break,
        }
    }
    eprintln!("{} streams, {:?}", streams.len(), Usage::of(server.id()));
    let mut stranger = Client::open(to, host(2), Era::Sessions).await;
    served(&mut stranger).await;
}

/// An incomplete head is not waited for indefinitely. The limit of hyper is 30 s.
#[tokio::test]
async fn half_a_head_is_given_up() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let mut slow = Connection::open(to, host(1)).await.unwrap();
    slow.send(b"POST /mcp HTTP/1.1\r\nhost: x\r\n").await.unwrap();
    // A byte now and then does not complete a head either.
    let end = async {
        loop {
            let nibble = tokio::time::timeout(Duration::from_secs(1), slow.byte());
            match nibble.await {
                Ok(Ok(Some(_))) => {}
                Ok(_) => return,
                Err(_) if slow.send(b"x").await.is_err() => return,
                Err(_) => {}
            }
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(120), end).await;
    assert!(ended.is_ok(), "the server still waits for an incomplete head");
}
