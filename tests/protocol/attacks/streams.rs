//! Notifications: every subscriber receives them once, whatever other clients do.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::target::{Target, server};
use crate::pipe::Pipe;
use crate::raw::{self, Client, Connection, Era, host, within};
use crate::server::Server;

/// A tool of `examples/conformance` that adds a tool and removes it again.
const CHANGE: &str = "test_trigger_tool_change";

/// The period of silence after which all messages are assumed to have arrived.
const REST: Duration = Duration::from_millis(1500);

async fn told(stream: &mut Connection, method: &str) -> Value {
    loop {
        let event = within(method, stream.event()).await.expect("an open stream");
        let event = event.unwrap_or_else(|| panic!("the stream ended before {method}"));
        if event["method"] == method {
            return event;
        }
    }
}

/// Returns all messages until the period of silence `REST`.
async fn rest(stream: &mut Connection) -> Vec<Value> {
    let mut all = Vec::new();
    while let Ok(Ok(Some(event))) = tokio::time::timeout(REST, stream.event()).await {
        all.push(event);
    }
    all
}

fn tools_changed() -> Value {
    json!({ "toolsListChanged": true })
}

/// a client chooses the id of its listen request freely.
#[tokio::test]
async fn streams_with_the_same_request_id_are_distinguished() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let mut trigger = Client::open(to, host(1), Era::Modern).await;
    // Each client counts from 1, so all of these have the same id.
    let mut streams = Vec::new();
    for number in 0..6 {
        let mut client = Client::open(to, host(2 + number), Era::Modern).await;
        streams.push(client.listen(tools_changed()).await.unwrap());
    }
    let mut session = Client::open(to, host(9), Era::Sessions).await;
    streams.push(session.listen(Value::Null).await.unwrap());
    // Some disconnect, some connect and disconnect, repeatedly.
    streams.drain(..3);
    for _ in 0..40 {
        let mut client = Client::open(to, host(10), Era::Modern).await;
        drop(client.listen(tools_changed()).await.unwrap());
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    trigger.call(CHANGE, json!({})).await.unwrap();
    for stream in &mut streams {
        told(stream, "notifications/tools/list_changed").await;
    }
}

/// A-05 on one connection: a stream is ended by its own id, with the same JSON type.
#[test]
fn end_of_one_stream_on_a_pipe_is_not_that_of_another() {
    let mut pipe = Pipe::start("conformance", &[]);
    let listen = |id: Value| {
        let mut params = json!({ "notifications": tools_changed() });
        params["_meta"] = raw::meta(&json!({}));
        json!({ "jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params })
    };
    for id in [json!(1), json!("1"), json!(2)] {
        pipe.send(&listen(id.clone()));
        let first = pipe.next();
        assert!(first["method"].as_str().is_some_and(|m| m.contains("acknowledged")), "{first}");
    }
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 1, "_meta": raw::meta(&json!({})) }
    });
    pipe.send(&cancel);
    let mut params = raw::call_params(CHANGE, &json!({}));
    params["_meta"] = raw::meta(&json!({}));
    pipe.send(&json!({ "jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": params }));
    let mut told = Vec::new();
    let mut answered = false;
    while !(answered && told.contains(&json!("1")) && told.contains(&json!(2))) {
        let message = pipe.next();
        answered |= message["id"] == 77;
        if message["method"] == "notifications/tools/list_changed" {
            let meta = &message["params"]["_meta"];
            told.push(meta["io.modelcontextprotocol/subscriptionId"].clone());
        }
    }
    assert!(!told.contains(&json!(1)), "an ended stream received notifications: {told:?}");
}

/// a client that does not read does not delay others.
#[tokio::test]
async fn stalled_reader_does_not_delay_other_clients() {
    let target = Target::serve(server());
    let uri = format!("any://{}", "x".repeat(4000));
    let mut subscription = json!({ "resourceSubscriptions": [uri.clone()] });
    subscription["toolsListChanged"] = json!(true);
    let mut stopped = Vec::new();
    for (number, era) in Era::BOTH.into_iter().enumerate() {
        let mut client = Client::open(target.address, host(20 + number as u8), era).await;
        if era == Era::Sessions {
            client.ask("resources/subscribe", json!({ "uri": uri })).await.unwrap();
        }
        let mut stream = Connection::open_small(client.to, client.from).await.unwrap();
        client.listen_over(&mut stream, subscription.clone()).await.unwrap();
        // From here on it is not read.
        stopped.push((client, stream));
    }
    let mut touching = Client::open(target.address, host(22), Era::Modern).await;
    // With pauses, so that changes that are coalesced still cause enough notifications.
    for _ in 0..60 {
        let touched = touching.call("touch", json!({ "uri": uri, "times": 100 }));
        within("a change", touched).await.unwrap();
    }
    for era in Era::BOTH {
        let mut client = Client::open(target.address, host(23), era).await;
        let fresh = "any://fresh";
        if era == Era::Sessions {
            client.ask("resources/subscribe", json!({ "uri": fresh })).await.unwrap();
        }
        let wanted = json!({ "resourceSubscriptions": [fresh] });
        let mut stream = client.listen(wanted).await.unwrap();
        touching.call("touch", json!({ "uri": fresh, "times": 1 })).await.unwrap();
        let event = told(&mut stream, "notifications/resources/updated").await;
        assert_eq!(event["params"]["uri"], fresh);
    }
}

/// A-23, over HTTP.
#[tokio::test]
async fn repeated_initialized_subscribes_once() {
    let server = Server::start("conformance", &[]);
    let mut client = Client::open(raw::address(&server), host(1), Era::Sessions).await;
    for _ in 0..20 {
        client.tell("notifications/initialized", json!({})).await.unwrap();
    }
    let mut stream = client.listen(Value::Null).await.unwrap();
    client.call(CHANGE, json!({})).await.unwrap();
    told(&mut stream, "notifications/tools/list_changed").await;
    // A tool was added and removed, so at most one more notification is sent.
    let more = rest(&mut stream).await;
    assert!(more.len() <= 1, "{more:?}");
}

/// A-23, on a pipe.
#[test]
fn repeated_initialized_on_a_pipe_subscribes_once() {
    let mut pipe = Pipe::start("conformance", &[]);
    pipe.hello();
    for _ in 0..20 {
        pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }
    pipe.call(CHANGE, &json!({}));
    std::thread::sleep(REST);
    let id = pipe.ask("ping", &json!({}));
    let mut told = 0;
    loop {
        let message = pipe.next();
        if message["id"] == id {
            break;
        }
        told += usize::from(message["method"] == "notifications/tools/list_changed");
    }
    // Some may arrive before the response to the call.
    assert!(told <= 2, "notified {told} times");
}

/// frequent changes are coalesced, and the last change is reported.
#[tokio::test]
async fn many_changes_send_one_notification() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    for era in Era::BOTH {
        let mut client = Client::open(to, host(1), era).await;
        let mut stream = client.listen(tools_changed()).await.unwrap();
        let started = Instant::now();
        for _ in 0..100 {
            client.call(CHANGE, json!({})).await.unwrap();
        }
        let told = rest(&mut stream).await.len();
        // At least 100 ms between two of them, with some tolerance.
        let most = 4 + started.elapsed().as_millis() / 50;
        assert!(
            told >= 1 && (told as u128) <= most,
            "{era:?}: 200 changes caused {told} notifications"
        );
        client.call(CHANGE, json!({})).await.unwrap();
        self::told(&mut stream, "notifications/tools/list_changed").await;
    }
}

/// F-1: clients that disconnect do not affect the notifications of others.
#[tokio::test]
async fn disconnected_clients_do_not_delay_others() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let mut trigger = Client::open(to, host(1), Era::Sessions).await;
    let mut staying = Vec::new();
    for number in 0..10 {
        let era = Era::BOTH[number % 2];
        let mut client = Client::open(to, host(10 + number as u8), era).await;
        staying.push(client.listen(tools_changed()).await.unwrap());
    }
    for round in 0..10 {
        let mut leaving = Vec::new();
        for number in 0..10 {
            let era = Era::BOTH[number % 2];
            let mut client = Client::open(to, host(30 + number as u8), era).await;
            leaving.push(client.listen(tools_changed()).await.unwrap());
        }
        drop(leaving);
        trigger.call(CHANGE, json!({})).await.unwrap();
        for stream in &mut staying {
            let changed = told(stream, "notifications/tools/list_changed");
            raw::within(&format!("round {round}"), changed).await;
        }
        // Other notifications for this change are read before the next one.
        for stream in &mut staying {
            while tokio::time::timeout(Duration::from_millis(150), stream.event()).await.is_ok() {}
        }
    }
}
