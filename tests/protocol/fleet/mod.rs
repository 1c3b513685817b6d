//! Three instances of `notes` behind a balancer without stickiness, one of which is killed with -9 under load. No call
//! that got a response or can be repeated is lost, and every failure is reported as an error.

mod clients;
mod exchange;

use std::io::BufRead as _;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use genkit_tests::print_uncaptured;

use self::clients::Seen;
use crate::packages::scratch;
use crate::server::{Server, example};

/// The duration of the load before an instance is killed, and after it.
const LOAD: Duration = Duration::from_secs(3);

/// The time limit until the client of a long call has read a part of it.
const BEGUN: Duration = Duration::from_secs(20);

/// A client with its number, which makes calls until it is stopped.
type Load = fn(SocketAddr, usize, &AtomicBool) -> Seen;

/// A balancer, killed on drop.
struct Balancer {
    child: Child,
    address: SocketAddr,
}

impl Balancer {
    fn before(instances: &[Server]) -> Self {
        let mut child = Command::new(example("fleet"))
            .args(["balance", "127.0.0.1:0"])
            .args(instances.iter().map(address))
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        std::io::BufReader::new(stdout).read_line(&mut line).expect("a line");
        Self { child, address: line.trim().parse().expect("an address") }
    }
}

fn address(server: &Server) -> String {
    let url = server.url().strip_prefix("http://").expect("http");
    url.strip_suffix("/mcp").expect("the path").to_owned()
}

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn instance_that_is_killed_under_load_loses_no_call() {
    let folder = scratch("fleet");
    let (notes, sessions) = (folder.join("notes.db"), folder.join("sessions"));
    let start = |_| {
        let mut command = Command::new(example("notes"));
        command.arg(&notes).args(["--http", "127.0.0.1:0", "--sessions"]).arg(&sessions);
        command.env("SEALING_KEYS", "0a1b2c3d".repeat(8)).env_remove("RUST_LOG");
        Server::spawn(&mut command)
    };
    let mut instances: Vec<Server> = (0..3).map(start).collect();
    let balancer = Balancer::before(&instances);
    let (to, ends) = (balancer.address, Arc::new(AtomicBool::new(false)));
    let load: [(&'static str, Load); 6] = [
        ("adds, 2026-07-28", clients::adds_alone),
        ("adds, 2026-07-28", clients::adds_alone),
        ("questions, 2026-07-28", clients::asks_alone),
        ("adds, session", clients::adds_in_session),
        ("adds, session", clients::adds_in_session),
        ("streams, session", clients::imports_in_session),
    ];
    let load: Vec<_> = (0..)
        .zip(load)
        .map(|(number, (name, run))| {
            let ends = Arc::clone(&ends);
            (name, std::thread::spawn(move || run(to, number, &ends)))
        })
        .collect();
    std::thread::sleep(LOAD);
    let doomed = address(instances.last().expect("three")).parse().expect("an address");
    let (begun, has_begun) = std::sync::mpsc::channel();
    let in_the_middle = std::thread::spawn(move || clients::loses_its_instance(to, doomed, &begun));
    has_begun.recv_timeout(BEGUN).expect("it has begun");
    // SIGKILL.
    drop(instances.pop());
    std::thread::sleep(LOAD);
    ends.store(true, Ordering::SeqCst);
    let told = in_the_middle.join().expect("it is told");
    assert!(told.contains("is gone, and the outcome of the call is unknown"), "{told}");
    let mut all = Seen::default();
    for (name, client) in load {
        let seen = client.join().expect("no client fails");
        print_uncaptured(&format!("fleet: {name}: {}\n", seen.line()));
        assert!(seen.calls > 0, "{name}: {}", seen.line());
        all.add(seen);
    }
    // Acknowledged notes exist, and those acknowledged at the first attempt exist exactly once.
    for (texts, wanted) in [(&all.answered, 1..10), (&all.at_once, 1..2), (&all.deleted, 0..1)] {
        for text in texts {
            let times = clients::stored(to, text);
            assert!(wanted.contains(&times), "`{text}` exists {times} times instead of {wanted:?}");
        }
    }
    assert!(all.asked > 0, "no question was answered by a fleet");
}
