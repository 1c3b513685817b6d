//! Unanswered questions do not affect clients that ask none (A-07, B-07).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::served;
use crate::pipe::Pipe;
use crate::raw::{self, Client, Connection, Era, PATIENCE, host};
use crate::server::Server;

/// A number of questions that exceeds the concurrency limit of a whole server.
const MANY: usize = 1_150;

/// Returns requests to `examples/conformance` that cause questions: to the user, to the model, for folders, by a
/// prompt.
fn asking() -> Vec<(&'static str, Value)> {
    let tool = |name: &str, arguments: Value| ("tools/call", raw::call_params(name, &arguments));
    vec![
        tool("test_elicitation", json!({ "message": "Who are you?" })),
        tool("test_sampling", json!({ "prompt": "Say hello." })),
        tool("test_input_required_result_list_roots", json!({})),
        ("prompts/get", json!({ "name": "test_input_required_result_prompt" })),
    ]
}

/// Leaves `MANY` questions open in ten sessions. The caller decides whether to keep the connections.
async fn leave_open(server: &Server, request: &(&str, Value)) -> Vec<Connection> {
    let to = raw::address(server);
    let mut left = Vec::new();
    for _ in 0..10 {
        let mut client = Client::open(to, host(1), Era::Sessions).await;
        for _ in 0..MANY / 10 {
            let begun = client.begin(request.0, request.1.clone()).await;
            // A request that is refused with its connection is equivalent to one that is refused later.
            left.extend(begun.ok().map(|(_, connection)| connection));
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    left
}

async fn strangers_are_served(server: &Server) {
    let to = raw::address(server);
    // From another address and from the same one: all clients may share a proxy.
    for number in [2, 1] {
        for era in Era::BOTH {
            let mut stranger = Client::open(to, host(number), era).await;
            served(&mut stranger).await;
        }
        // It may ask its own user, too.
        let mut stranger = Client::open(to, host(number), Era::Sessions).await;
        let (method, params) = asking().remove(0);
        let (_, mut connection) = stranger.begin(method, params).await.unwrap();
        let head = raw::within("a question", connection.head()).await.unwrap();
        assert!(head.is_stream(), "{head:?}");
        let question = raw::within("a question", connection.event()).await.unwrap().unwrap();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let result = json!({ "action": "accept", "content": { "username": "u", "email": "e@e" } });
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
        stranger.post(&answer).await.unwrap();
        let answer = raw::within("an answer", connection.event()).await.unwrap().unwrap();
        assert!(answer["result"].to_string().contains("username=u"), "{answer}");
    }
}

async fn nobody_waits_for(which: usize, connections_stay: bool) {
    let server = Server::start("conformance", &[]);
    let mut left = leave_open(&server, &asking()[which]).await;
    if !connections_stay {
        left.clear();
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    strangers_are_served(&server).await;
}

#[tokio::test]
async fn open_elicitations_do_not_block_other_clients() {
    nobody_waits_for(0, false).await;
}

#[tokio::test]
async fn open_elicitations_on_idle_connections_do_not_block_other_clients() {
    nobody_waits_for(0, true).await;
}

#[tokio::test]
async fn open_sampling_requests_do_not_block_other_clients() {
    nobody_waits_for(1, false).await;
}

#[tokio::test]
async fn open_roots_requests_do_not_block_other_clients() {
    nobody_waits_for(2, false).await;
}

#[tokio::test]
async fn open_prompt_questions_do_not_block_other_clients() {
    nobody_waits_for(3, false).await;
}

/// An approval is a question, too.
#[tokio::test]
async fn open_approvals_do_not_block_other_clients() {
    let server = Server::notes("attack-approvals");
    let to = raw::address(&server);
    let mut open = Vec::new();
    for _ in 0..10 {
        let mut client = Client::open(to, host(1), Era::Sessions).await;
        for _ in 0..MANY / 10 {
            let params = raw::call_params("delete_note", &json!({ "id": 1 }));
            open.push(client.begin("tools/call", params).await);
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    for (number, era) in [(1, Era::Sessions), (2, Era::Modern)] {
        let mut stranger = Client::open(to, host(number), era).await;
        let found = stranger.call("search_notes", json!({ "query": "nothing" })).await.unwrap();
        assert!(found.to_string().contains("no notes found"), "{found}");
    }
}

/// A pipe has one client, whose own questions must not block its other calls.
#[test]
fn questions_on_a_pipe_leave_room_for_calls() {
    let mut pipe = Pipe::start("conformance", &[]);
    initialize_asked(&mut pipe);
    let (method, params) = asking().remove(0);
    for _ in 0..MANY {
        pipe.ask(method, &params);
    }
    let called = pipe.call("json_schema_2020_12_tool", &super::marked("pipe"));
    assert!(called.to_string().contains("mark-pipe"), "{called}");
}

/// F-2: a client that disconnected cannot answer a question.
#[test]
fn open_question_does_not_delay_the_end_of_a_pipe() {
    for request in asking() {
        let end_takes = || {
            let mut pipe = Pipe::start("conformance", &[]);
            initialize_asked(&mut pipe);
            pipe.ask(request.0, &request.1);
            // The question has been sent.
            assert!(pipe.next()["method"].is_string());
            let started = Instant::now();
            pipe.hang_up();
            assert_eq!(pipe.exit_code(PATIENCE), Some(0), "{}", pipe.stderr());
            started.elapsed()
        };
        // Waiting for running functions would take 5 s. On a busy machine, an end can take as long.
        let is_fast = (0..10).any(|_| end_takes() < Duration::from_millis(4500));
        assert!(is_fast, "{request:?}");
    }
}

/// Opens a session of a client that supports all kinds of questions.
fn initialize_asked(pipe: &mut Pipe) {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "elicitation": {}, "sampling": {}, "roots": {} },
        "clientInfo": { "name": "asked", "version": "1" }
    });
    pipe.request("initialize", &params);
    pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
}
