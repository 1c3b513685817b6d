//! Shutdown of a server with work in progress.

use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::super::here::{SLOW_RUNS, calculator};
use super::super::wire::{Wire, in_session};

/// The time limit of each step.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server of `.http(..)` that ends on request.
struct Serving {
    address: String,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<genkit::Result<()>>,
}

impl Serving {
    fn start() -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (listening, address) = mpsc::channel();
        let server = calculator()
            .http("127.0.0.1:0")
            .on_listening(move |address| listening.send(address).expect("a test that waits"))
            .shutdown(async move {
                let _ = stopped.await;
            });
        let serve = move || Runtime::new().expect("a runtime").block_on(server.run());
        let thread = thread::spawn(serve);
        let address = address.recv_timeout(PATIENCE).expect("an address");
        Self { address: address.to_string(), stop, thread }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Requests the shutdown, runs `meanwhile`, and waits for the normal end.
    fn end<T>(self, meanwhile: impl FnOnce() -> T) -> T {
        self.stop.send(()).expect("a server that waits for it");
        let value = meanwhile();
        until("ending", || self.thread.is_finished());
        self.thread.join().expect("no panic").expect("a good end");
        assert!(TcpStream::connect(&self.address).is_err(), "it still listens");
        value
    }
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what} takes too long");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Both eras in turn, since the flag for a running call is shared by the process.
#[test]
fn running_call_is_finished() {
    finishes(|wire, _| wire.call_alone("slow", &json!({})).message());
    finishes(|wire, session| wire.call(session, "slow", &json!({})).message());
}

fn finishes(call: impl FnOnce(&Wire, &str) -> Value + Send + 'static) {
    SLOW_RUNS.store(false, Ordering::SeqCst);
    let serving = Serving::start();
    let wire = Wire::to(&serving.url());
    let calling = thread::spawn(move || {
        let session = wire.open(&[]);
        call(&wire, &session)
    });
    until("calling", || SLOW_RUNS.load(Ordering::SeqCst));
    let answer = serving.end(|| calling.join().expect("an answer"));
    assert_eq!(answer["result"]["content"][0]["text"], "finished", "{answer}");
}

/// Such streams never end on their own.
#[test]
fn streams_that_wait_for_changes_do_not_hold_it_up() {
    let serving = Serving::start();
    let wire = Wire::to(&serving.url());
    let session = wire.open(&[]);
    let stream = wire.listen_in(&in_session(&session));
    let alone = wire.listen_alone();
    assert_eq!((stream.status().as_u16(), alone.status().as_u16()), (200, 200));
    let before = Instant::now();
    serving.end(|| ());
    assert!(before.elapsed() < Duration::from_secs(5), "it took {:?}", before.elapsed());
}
