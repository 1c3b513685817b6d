//! Hostile and careless clients, over real sockets and pipes, in both eras. All other clients must still be served.

mod connections;
mod cpu;
mod ids;
mod log;
mod memory;
mod ports;
mod proxied;
mod questions;
mod sessions;
mod states;
mod streams;
mod target;

use serde_json::{Value, json};

use crate::raw::{Client, PATIENCE, within};

/// Checks that a client is served.
#[track_caller]
fn served(client: &mut Client) -> impl Future<Output = ()> {
    let caller = std::panic::Location::caller();
    async move {
        let result = within("a call", client.call("json_schema_2020_12_tool", marked("m"))).await;
        let result = result.unwrap_or_else(|error| panic!("{caller}: {error}"));
        assert!(result.to_string().contains("mark-m"), "{caller}: {result}");
    }
}

/// Returns arguments for `json_schema_2020_12_tool` of `examples/conformance`, which returns them.
fn marked(mark: &str) -> Value {
    json!({ "name": format!("mark-{mark}"), "email": "1" })
}

/// Waits until `holds` returns true.
#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) -> impl Future<Output = ()> {
    let caller = std::panic::Location::caller();
    async move {
        let started = std::time::Instant::now();
        while !holds() {
            assert!(started.elapsed() < PATIENCE, "{caller}: never: {what}");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}
