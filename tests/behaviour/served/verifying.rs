//! Tokens that take long to verify.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use genkit::{Genkit, Registry, tool, tools};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;
use tokio::sync::oneshot;

const PATIENCE: Duration = Duration::from_secs(60);

/// Responds.
#[tool]
async fn ping() -> &'static str {
    "pong"
}

/// Sends a request from an address of this machine, and returns its response.
async fn call(server: SocketAddr, from: &str, token: &str) -> std::io::Result<String> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(from.parse().unwrap(), 0))?;
    let mut connection = socket.connect(server).await?;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {server}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
         content-type: application/json\r\naccept: application/json\r\ncontent-length: 2\r\n\r\n{{}}"
    );
    connection.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    connection.read_to_string(&mut response).await?;
    Ok(response)
}

#[tokio::test]
async fn address_whose_tokens_are_being_verified_leaves_room_for_others() {
    let is_ada_seen = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_ada_seen);
    let genkit = Genkit::builder().registry(Registry::new().add(tools![ping])).build().unwrap();
    let (tell, told) = oneshot::channel();
    let server = genkit
        .serve_mcp()
        .http("127.0.0.1:0")
        .on_listening(move |address| tell.send(address).expect("the test waits"))
        .authenticate(move |token: String| {
            seen.fetch_or(token == "ada", Ordering::SeqCst);
            std::future::pending()
        });
    let served = tokio::spawn(server.run());
    let address = told.await.unwrap();
    // Half of 256 tokens can be verified for one address.
    let mut pending = tokio::task::JoinSet::new();
    for _ in 0..200 {
        pending.spawn(call(address, "127.0.0.1", "eve"));
    }
    let rejected = async {
        while let Some(response) = pending.join_next().await {
            let response = response.unwrap().unwrap();
            assert!(response.starts_with("HTTP/1.1 503"), "{response}");
            if response.contains("already uses its share") {
                return;
            }
        }
        panic!("all tokens were verified");
    };
    tokio::time::timeout(PATIENCE, rejected).await.expect("a request is rejected");
    assert!(!is_ada_seen.load(Ordering::SeqCst));
    pending.spawn(call(address, "127.0.0.2", "ada"));
    let is_seen = async {
        while !is_ada_seen.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, is_seen).await.expect("another address is served");
    served.abort();
}
