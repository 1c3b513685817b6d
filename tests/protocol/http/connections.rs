//! Connections of clients that send nothing, or stop halfway.

use serde_json::json;

use super::here::{Serving, calculator};
use super::raw::Raw;
use super::wire::{Wire, initialize};
use crate::server::Server;

#[test]
fn silent_connections_do_not_block_other_clients() {
    let server = Server::start_with_few_files("quickstart", 128);
    let address = server.url().trim_start_matches("http://").trim_end_matches("/mcp");
    let address = address.parse().expect("an address");
    let mut silent = Vec::new();
    for number in 0..300 {
        let Ok(mut raw) = Raw::from(1, address) else { continue };
        // Some send nothing, others an incomplete head.
        if number % 2 == 0 {
            let _ = raw.send(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n");
        }
        silent.push(raw);
    }
    for last in [2, 1] {
        let mut honest = Raw::from(last, address).expect("a connection");
        honest.post(&[], &initialize());
        assert_eq!(honest.head().map(|head| head.status), Some(200), "127.0.0.{last}");
    }
    assert!(silent[0].has_ended(), "the connection that was silent the longest is closed first");
}

#[test]
fn slow_bodies_do_not_block_other_clients() {
    let serving = Serving::of(calculator());
    let mut slow: Vec<Raw> = (0..40).map(|_| Raw::to(serving.address())).collect();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                accept: application/json, text/event-stream\r\ncontent-length: 4000000\r\n\r\n";
    let most = vec![b' '; 3_900_000];
    for raw in &mut slow {
        raw.send(head.as_bytes()).expect("sent");
        // Connections over the limit are not read.
        raw.set_patience_to_write();
        let _ = raw.send(&most);
    }
    let wire = Wire::to(&serving.url());
    let session = wire.open(&[]);
    let answer = wire.call(&session, "add", &json!({ "a": 1, "b": 1 }));
    assert_eq!(answer.message()["result"]["content"][0]["text"], "2", "{answer:?}");
    let call = super::wire::call("add", &json!({ "a": 1, "b": 1 })).to_string();
    let large = call + &" ".repeat(3_000_000);
    let answer = wire.post_raw(&super::wire::in_session(&session), large.as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
}
