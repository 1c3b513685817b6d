//! Sessions: their owner, their number per client, and what remains of them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::served;
use super::target::{Target, server};
use crate::raw::{self, Client, Era, Usage, host, within};
use crate::server::Server;

/// the id of a session is not a credential.
#[tokio::test]
async fn session_is_its_principals_alone() {
    let target = Target::with_principals(server());
    let named = |name: &str| {
        Client::new(target.address, host(1), Era::Sessions).with_header("x-name", name)
    };
    let mut ada = named("ada").opened().await.unwrap();
    let anonymous = Client::new(target.address, host(1), Era::Sessions);
    // An open question.
    let ask = raw::call_params("ask", &json!({ "message": "Well?" }));
    let (_, mut asked) = ada.begin("tools/call", ask).await.unwrap();
    assert!(within("a head", asked.head()).await.unwrap().is_stream());
    let question = within("a question", asked.event()).await.unwrap().unwrap();
    for mut thief in [named("eve"), anonymous] {
        thief.session.clone_from(&ada.session);
        let stolen = thief.request("tools/call", raw::call_params("whoami", &json!({}))).1;
        let result = json!({ "action": "accept", "content": { "word": "stolen" } });
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        for message in [stolen, answer, note] {
            let refused = thief.post(&message).await.unwrap();
            assert_eq!(refused.status, 404, "{message}: {refused:?}");
        }
        for (method, more) in [("GET", ""), ("GET", "last-event-id: 0\r\n"), ("DELETE", "")] {
            let mut connection = thief.connect().await.unwrap();
            let head = thief.head(method) + more + "\r\n";
            connection.send(head.as_bytes()).await.unwrap();
            let refused = within("a refusal", connection.head()).await.unwrap();
            assert_eq!(refused.status, 404, "{method} {more}: {refused:?}");
        }
    }
    let result = json!({ "action": "accept", "content": { "word": "mine" } });
    ada.post(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await.unwrap();
    let answer = within("an answer", asked.event()).await.unwrap().unwrap();
    assert!(answer.to_string().contains("mine"), "{answer}");
    let who = ada.call("whoami", json!({})).await.unwrap();
    assert_eq!(who["content"][0]["text"], "ada");
}

/// a client cannot exceed the limit of its own sessions by spelling the method differently.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flood_of_sessions_does_not_starve_other_clients() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let mut early = Client::open(to, host(1), Era::Sessions).await;
    let before = Usage::of(server.id());
    let client = Arc::new(Client::new(to, host(3), Era::Sessions));
    let mut floods = Vec::new();
    for flood in 0..16 {
        let client = Arc::clone(&client);
        floods.push(tokio::spawn(async move {
            let spelled = ["initialize", "\\u0069nitialize", "initialize", "init\\u0069alize"];
            let method = spelled[flood % 4];
            let body = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{\
                 \"protocolVersion\":\"2025-11-25\",\"capabilities\":{{}},\
                 \"clientInfo\":{{\"name\":\"flood\",\"version\":\"1\"}}}}}}"
            );
            let head = client.head("POST");
            let length = body.len();
            let request = format!(
                "{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            let mut connection = client.connect().await.unwrap();
            for _ in 0..700 {
                let sent = connection.send(request.as_bytes()).await;
                if sent.is_err() || connection.answer().await.is_err() {
                    let Ok(fresh) = client.connect().await else { return };
                    connection = fresh;
                }
            }
        }));
    }
    for flood in floods {
        flood.await.unwrap();
    }
    // 11,200 were requested, each with the memory of a session.
    let after = Usage::of(server.id());
    eprintln!("a flood of sessions: {} KiB before, {} KiB after", before.rss, after.rss);
    served(&mut early).await;
    let mut stranger = Client::open(to, host(2), Era::Sessions).await;
    served(&mut stranger).await;
}

/// F-4: a session that ends while a request for it arrives results in "not found", and nothing worse.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_that_meets_the_end_of_its_session_is_answered_or_not_found() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let mut rounds = Vec::new();
    for number in 0..8 {
        rounds.push(tokio::spawn(async move {
            for _ in 0..15 {
                let mut client = Client::open(to, host(1 + number), Era::Sessions).await;
                let mut calls = Vec::new();
                for _ in 0..6 {
                    let params = raw::call_params("test_simple_text", &json!({}));
                    calls.push(client.begin("tools/call", params).await.unwrap().1);
                }
                let mut ending = client.connect().await.unwrap();
                let head = client.head("DELETE") + "\r\n";
                ending.send(head.as_bytes()).await.unwrap();
                for mut call in calls {
                    let answer = within("an answer", call.answer()).await.unwrap();
                    assert!(matches!(answer.status, 200 | 404), "{answer:?}");
                    // Ending it cancels running calls, which then get no response.
                    assert!(answer.messages().len() <= 1, "{answer:?}");
                }
                let ended = within("the end", ending.answer()).await.unwrap();
                assert!(matches!(ended.status, 200 | 204), "{ended:?}");
            }
        }));
    }
    for round in rounds {
        round.await.unwrap();
    }
}

/// F-5: ended sessions leave nothing behind.
#[tokio::test]
async fn sessions_that_were_ended_leave_no_memory() {
    /// The number of sessions that are opened and ended in one round.
    const MANY: u64 = 1_000;
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let open_and_end = async || {
        let mut kept = Client::new(to, host(1), Era::Sessions).connect().await.unwrap();
        for _ in 0..MANY {
            let mut client = Client::new(to, host(1), Era::Sessions);
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "short", "version": "1" }
            });
            let (_, message) = client.request("initialize", params);
            kept.send(&client.bytes(&message)).await.unwrap();
            let answer = kept.answer().await.unwrap();
            client.session = answer.header("mcp-session-id").map(str::to_owned);
            kept.send((client.head("DELETE") + "\r\n").as_bytes()).await.unwrap();
            let ended = kept.answer().await.unwrap();
            assert!(matches!(ended.status, 200 | 204), "{ended:?}");
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        Usage::of(server.id()).rss
    };
    // The first round causes all permanent allocations: pools, arenas, tables.
    open_and_end().await;
    let before = open_and_end().await;
    let after = open_and_end().await.max(open_and_end().await);
    let each = after.saturating_sub(before) as f64 / (2 * MANY) as f64;
    eprintln!("a session that was ended: {each:.2} KiB");
    assert!(each < 4.0, "each leaves {each:.2} KiB");
}

/// The number of sessions is bounded, and a question that is open when its session ends does not leak.
#[tokio::test]
async fn sessions_that_end_with_an_open_question_leave_no_memory() {
    const MANY: u64 = 150;
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    let open_and_end = async || {
        for _ in 0..MANY {
            let mut client = Client::open(to, host(1), Era::Sessions).await;
            let params = raw::call_params("test_elicitation", &json!({ "message": "Who?" }));
            let (_, mut asked) = client.begin("tools/call", params).await.unwrap();
            within("a head", asked.head()).await.unwrap();
            let question: Option<Value> = within("a question", asked.event()).await.unwrap();
            assert!(question.is_some());
            let mut ending = client.connect().await.unwrap();
            ending.send((client.head("DELETE") + "\r\n").as_bytes()).await.unwrap();
            within("the end", ending.answer()).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        Usage::of(server.id())
    };
    open_and_end().await;
    let before = open_and_end().await;
    open_and_end().await;
    let after = open_and_end().await;
    let each = after.rss.saturating_sub(before.rss) as f64 / (2 * MANY) as f64;
    eprintln!("a session that ended with a question: {each:.2} KiB");
    assert!(each < 16.0, "each leaves {each:.2} KiB");
    let more = after.descriptors.saturating_sub(before.descriptors);
    assert!(more < 20, "{more} more descriptors");
}
