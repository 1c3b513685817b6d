//! Tests that each request receives its own response, for any order of messages and function
//! progress.

use std::collections::BTreeMap;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};

use super::{Call, Machine, Step, call, cancelled, json_of, modern, request};

/// Marsaglia's xorshift, so that failures are reproducible.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[derive(Default)]
struct Client {
    /// The tool of each open request, by the id of the request.
    open: BTreeMap<u64, &'static str>,
    running: Vec<(u64, Call)>,
    questions: Vec<Value>,
}

impl Client {
    fn answered(&mut self, answer: &Value, seed: u64) {
        let id = answer["id"].as_u64().unwrap_or_else(|| panic!("seed {seed}: {answer}"));
        let tool = self.open.remove(&id);
        let tool = tool.unwrap_or_else(|| panic!("seed {seed}: answered twice: {answer}"));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert_eq!(text == "42", tool == "add", "seed {seed}: {tool}: {answer}");
    }
}

fn play(seed: u64) {
    let machine = Machine::initialized();
    let mut dice = Dice((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut client = Client::default();
    for _ in 0..200 {
        let id = dice.roll(6);
        match dice.roll(6) {
            0..=2 => {
                let tool = ["add", "ask", "wait"][usize::try_from(dice.roll(3)).unwrap()];
                let mut message = call(id, tool);
                if tool == "add" && dice.roll(2) == 0 {
                    message = modern(message, "2026-07-28", json!({}));
                }
                let is_open = client.open.contains_key(&id);
                match machine.step(message.to_string()) {
                    Step::Answer(answer) if is_open => {
                        assert_eq!(answer["error"]["code"], -32600, "seed {seed}: {answer}");
                    }
                    Step::Answer(answer) => {
                        client.open.insert(id, tool);
                        client.answered(&answer, seed);
                    }
                    Step::Runs(call) => {
                        assert!(client.open.insert(id, tool).is_none(), "seed {seed}: in use");
                        client.running.push((id, call));
                    }
                    Step::Nothing => panic!("seed {seed}: {message}"),
                }
            }
            3 => {
                machine.nothing(&cancelled(id));
                client.open.remove(&id);
            }
            4 => {
                let messages = machine.take_messages();
                client.questions.extend(messages.into_iter().map(|it| it["id"].clone()));
                if let Some(id) = client.questions.pop() {
                    let result = json!({"action": "decline"});
                    machine.nothing(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
                }
            }
            _ => poll_all(&mut client, seed),
        }
        let pong = request(1000, "ping", json!({})).to_string();
        assert!(matches!(machine.step(pong), Step::Answer(_)));
    }
    machine.session.connection.end_questions();
    poll_all(&mut client, seed);
    assert!(client.open.values().all(|tool| *tool == "wait"), "seed {seed}: {:?}", client.open);
    machine.session.connection.cancel_all();
    client.open.clear();
    poll_all(&mut client, seed);
    assert!(client.running.is_empty(), "seed {seed}");
}

fn poll_all(client: &mut Client, seed: u64) {
    for (id, mut call) in std::mem::take(&mut client.running) {
        match call_poll(&mut call) {
            Poll::Ready(Some(answer)) => {
                assert_eq!(answer["id"], id);
                client.answered(&answer, seed);
            }
            Poll::Ready(None) => {}
            Poll::Pending => client.running.push((id, call)),
        }
    }
}

fn call_poll(call: &mut Call) -> Poll<Option<Value>> {
    let mut context = Context::from_waker(Waker::noop());
    let polled = std::pin::Pin::new(call).poll(&mut context);
    polled.map(|reply| reply.map(|reply| json_of(&reply.bytes)))
}

#[tokio::test]
async fn each_request_gets_its_own_answer_or_none_if_it_was_cancelled() {
    // All games run in one turn of this task, which must not exhaust tokio's budget.
    let games = async { (0..100).for_each(play) };
    tokio::task::unconstrained(games).await;
}
