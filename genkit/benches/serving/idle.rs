//! The cost of open, idle sessions.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::Effort;
use super::client::Server;
use super::http::{Client, Era, connect, free_port};
use super::table::{Budget, Figure};

/// The sessions of one client. Each client has its own address, since the sessions per client are limited.
const OF_ONE: usize = 50;

/// Returns the memory of a session that was opened and left idle, in KiB.
pub(crate) fn sessions(effort: &Effort) -> Figure {
    const SERVERS: &[&str] = &["rmcp-http-nodelay", "ours-http"];
    let title: &str = match effort.idle {
        10_000 => "http, each of 10,000 idle sessions, KiB",
        _ => "http, each of 2,000 idle sessions, KiB",
    };
    let mut figure = Figure::new(title, SERVERS, "rmcp-http-nodelay", Budget::Figure(8.0));
    for (place, name) in SERVERS.iter().enumerate() {
        figure.add(place, one(name, effort.idle));
    }
    figure
}

fn one(name: &str, sessions: usize) -> f64 {
    let port = free_port();
    let server = Server::start(name, Some(port));
    drop(connect(port));
    // The first few sessions cause all permanent allocations.
    open(port, 0, OF_ONE);
    std::thread::sleep(Duration::from_millis(500));
    let before = server.memory("RssAnon");
    for client in 1..=sessions / OF_ONE {
        open(port, client, OF_ONE);
    }
    std::thread::sleep(Duration::from_millis(500));
    (server.memory("RssAnon") - before) * 1024.0 / sessions as f64
}

/// Opens sessions over one connection, and closes the connection. The sessions remain.
fn open(port: u16, client: usize, sessions: usize) {
    let from = Ipv4Addr::new(127, 1, (client / 250) as u8, (client % 250 + 1) as u8);
    let mut client = Client::over(connect_from(port, from), port, Era::Sessions);
    for _ in 1..sessions {
        client.session();
    }
}

fn connect_from(port: u16, from: Ipv4Addr) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((from, 0).into()).unwrap();
        let to: SocketAddr = (Ipv4Addr::LOCALHOST, port).into();
        socket.connect(to).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream
}
