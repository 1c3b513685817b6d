//! The end of a server that is at work.

use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::here::{SLOW_RUNS, calculator};
use super::wire::Wire;

/// How long anything here may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what} takes too long");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A port that was free a moment ago: the server says its own in the log only.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Both eras in turn: what says that a call runs is one place for the process.
#[test]
fn a_running_call_is_finished_and_no_new_one_begun() {
    ends_well(|wire, _| wire.call_alone("slow", &json!({})).message());
    ends_well(|wire, session| wire.call(session, "slow", &json!({})).message());
}

fn ends_well(call: impl FnOnce(&Wire, &str) -> serde_json::Value + Send + 'static) {
    SLOW_RUNS.store(false, Ordering::SeqCst);
    let address = format!("127.0.0.1:{}", free_port());
    let (stop, stopped) = oneshot::channel::<()>();
    let server = calculator().http(&address).shutdown(async move {
        let _ = stopped.await;
    });
    let serving =
        thread::spawn(move || Runtime::new().expect("a runtime").block_on(async { server.await }));
    until("starting", || std::net::TcpStream::connect(&address).is_ok());
    let url = format!("http://{address}/mcp");
    let calling = thread::spawn(move || {
        let wire = Wire::to(&url);
        let session = wire.open(&[]);
        call(&wire, &session)
    });
    until("calling", || SLOW_RUNS.load(Ordering::SeqCst));
    stop.send(()).expect("a server that waits for it");
    let answer = calling.join().expect("an answer");
    assert_eq!(answer["result"]["content"][0]["text"], "finished", "{answer}");
    until("ending", || serving.is_finished());
    serving.join().expect("no panic").expect("a good end");
    assert!(std::net::TcpStream::connect(&address).is_err(), "it still listens");
}
