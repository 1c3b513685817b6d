//! Data from a client is not kept beyond a limit, and does not grow without one.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::served;
use crate::pipe::Pipe;
use crate::raw::{self, Client, Connection, Era, Usage, host, within};
use crate::server::{self, Server};

/// The maximum growth of a server, in KiB, whatever a client sends.
const BOUND: u64 = 48 * 1024;

/// Sends a POST and ignores the outcome: a rejection may close the connection before everything was sent.
async fn throw(client: &mut Client, message: &Value) -> Option<raw::Answer> {
    let bytes = client.bytes(message);
    throw_bytes(client, &bytes).await
}

async fn throw_bytes(client: &Client, bytes: &[u8]) -> Option<raw::Answer> {
    let mut connection = client.connect().await.ok()?;
    let _ = connection.send(bytes).await;
    within("an answer", connection.answer()).await.ok()
}

/// Runs `attack` against the server, and checks that it does not keep what it received.
async fn nothing_is_kept<T>(attack: impl AsyncFnOnce(&Server) -> T) {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    // One of the largest requests first, since its buffers are reused.
    let mut client = Client::open(to, host(9), Era::Modern).await;
    served(&mut client).await;
    let before = Usage::of(server.id());
    let kept = attack(&server).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let after = Usage::of(server.id());
    let more = after.rss.saturating_sub(before.rss);
    eprintln!("kept: {more} KiB more, peak {} KiB", after.peak);
    assert!(more < BOUND, "the server keeps {more} KiB");
    served(&mut client).await;
    drop(kept);
}

#[tokio::test]
async fn subscriptions_of_long_addresses_are_not_kept() {
    nothing_is_kept(async |server| {
        let mut client = Client::open(raw::address(server), host(1), Era::Sessions).await;
        for number in 0..100 {
            let uri = format!("test://{number}/{}", "x".repeat(2_000_000));
            let (_, message) = client.request("resources/subscribe", json!({ "uri": uri }));
            let answer = throw(&mut client, &message).await;
            assert!(answer.is_none_or(|a| a.code().is_some()), "it subscribes");
        }
        client
    })
    .await;
}

#[tokio::test]
async fn many_subscriptions_of_middling_addresses_are_bounded() {
    nothing_is_kept(async |server| {
        let mut client = Client::open(raw::address(server), host(1), Era::Sessions).await;
        let mut refused = 0;
        for number in 0..3_000 {
            let uri = format!("test://{number}/{}", "x".repeat(8_000));
            let answer = client.ask("resources/subscribe", json!({ "uri": uri })).await.unwrap();
            refused += usize::from(answer["error"].is_object());
        }
        assert!(refused > 0, "24 MB were kept");
        client
    })
    .await;
}

#[tokio::test]
async fn client_info_is_not_retained() {
    nothing_is_kept(async |server| {
        let to = raw::address(server);
        let long = "n".repeat(1_000_000);
        let mut kept = Vec::new();
        for number in 0..120 {
            let mut client = Client::new(to, host(1), Era::Sessions);
            let (name, capability) = if number % 2 == 0 { (&*long, "x") } else { ("n", &*long) };
            let params = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "experimental": { "e": { "text": capability } } },
                "clientInfo": { "name": name, "version": "1" }
            });
            let (_, message) = client.request("initialize", params);
            kept.push(throw(&mut client, &message).await);
        }
        kept
    })
    .await;
}

#[tokio::test]
async fn filters_and_ids_of_streams_are_not_kept() {
    nothing_is_kept(async |server| {
        let mut client = Client::open(raw::address(server), host(1), Era::Modern).await;
        let mut streams: Vec<Connection> = Vec::new();
        for number in 0..60 {
            let uris: Vec<String> =
                (0..400).map(|n| format!("test://{n}/{}", "x".repeat(8_000))).collect();
            let uris = if number % 2 == 0 { json!(uris) } else { json!([]) };
            let wanted = json!({ "notifications": { "resourceSubscriptions": uris } });
            let (_, mut message) = client.request("subscriptions/listen", wanted);
            if number % 2 == 1 {
                message["id"] = json!("i".repeat(2_000_000));
            }
            let mut connection = client.connect().await.unwrap();
            let _ = connection.send(&client.bytes(&message)).await;
            // A rejection is a response, an accepted request is a stream.
            let _ = tokio::time::timeout(Duration::from_secs(5), connection.head()).await;
            streams.push(connection);
        }
        streams
    })
    .await;
}

#[tokio::test]
async fn unread_messages_are_not_retained() {
    nothing_is_kept(async |server| {
        let to = raw::address(server);
        let mut left = Vec::new();
        for _ in 0..40 {
            let mut client = Client::open(to, host(1), Era::Sessions).await;
            for _ in 0..10 {
                let mut params = raw::call_params("test_tool_with_progress", &json!({}));
                params["_meta"] = json!({ "progressToken": "t".repeat(100_000) });
                left.extend(client.begin("tools/call", params).await.ok());
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        left.clear();
        tokio::time::sleep(Duration::from_secs(1)).await;
    })
    .await;
}

/// JSON is bounded by the number of values, and so is the data that is read at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_of_very_many_values_take_little_memory() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let arrays = format!("[{}0]", "0,".repeat(1_900_000));
    let objects = format!("[{}{{}}]", "{},".repeat(1_200_000));
    let keys: String = (0..300_000).map(|n| format!("\"k{n}\":0,")).collect();
    let many = [arrays, objects, format!("{{{keys}\"last\":0}}")];
    let mut thrown = Vec::new();
    for number in 0..6 {
        let era = Era::BOTH[number % 2];
        let client = Client::open(to, host(1 + number as u8), era).await;
        let meta = match era {
            Era::Sessions => String::new(),
            Era::Modern => format!(",\"_meta\":{}", raw::meta(&json!({}))),
        };
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":\
             {{\"name\":\"test_simple_text\",\"arguments\":{{\"a\":{}}}{meta}}}}}",
            many[number / 2]
        );
        let mut head = client.head("POST");
        if era == Era::Modern {
            head += "mcp-method: tools/call\r\nmcp-name: test_simple_text\r\n";
        }
        let length = body.len();
        let bytes = format!(
            "{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        thrown.push(tokio::spawn(async move {
            let answer = throw_bytes(&client, bytes.as_bytes()).await;
            answer.map(|answer| (answer.status, answer.code()))
        }));
    }
    for thrown in thrown {
        eprintln!("{:?}", thrown.await.unwrap());
    }
    let peak = Usage::of(server.id()).peak;
    eprintln!("bodies of very many values: {peak} KiB at the most");
    assert!(peak < 300 * 1024, "{peak} KiB");
    let mut client = Client::open(to, host(20), Era::Sessions).await;
    served(&mut client).await;
}

/// A-22 on a pipe, where lines may be even longer.
#[test]
fn line_of_very_many_values_takes_little_memory() {
    let mut command = Command::new(server::example("quickstart"));
    let mut pipe = Pipe::spawn(command.env_remove("RUST_LOG"));
    pipe.hello();
    let many = format!("[{}0]", "0,".repeat(7_000_000));
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"many\",\"method\":\"tools/call\",\"params\":\
         {{\"name\":\"add\",\"arguments\":{{\"a\":{many},\"b\":1}}}}}}\n"
    );
    pipe.send_raw(line.as_bytes());
    let answer = pipe.answer(&json!("many"));
    let refused = answer["error"].is_object() || answer["result"]["isError"] == true;
    assert!(refused, "{}", &answer.to_string()[..200.min(answer.to_string().len())]);
    let peak = Usage::of(pipe.id()).peak;
    eprintln!("a line of very many values: {peak} KiB at the most");
    assert!(peak < 200 * 1024, "{peak} KiB");
    pipe.still_serves();
}
