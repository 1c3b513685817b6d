//! Agents called by Genkit's own client (`remoteAgent` of `genkit/beta/client`), with a process for each check.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::sessions::{Agent, AgentTurn, serve_agents};
use genkit::testing::ScriptedModel;
use genkit::{Error, ErrorKind, Message, Tool};
use serde_json::{Value, json};

use crate::packages;
use crate::program;

/// The time limit of a check.
const LIMIT: Duration = Duration::from_secs(60);

fn agents() -> Vec<Agent> {
    let ask = Tool::builder("ask", "Asks how to pay.").interrupts();
    let request = ToolRequest::new("ask", json!({"cents": 500})).with_id("a");
    let pays = ScriptedModel::new([
        ModelResponse::from_tool_requests([request]),
        ModelResponse::from_text("Paid."),
    ]);
    let agents = [
        Agent::builder("guide")
            .instructions("You plan trips.")
            .model(ScriptedModel::texts(["How long?", "Two days, then."])),
        Agent::builder("counter").custom(json!({"count": 0})).handler(
            |turn: AgentTurn| async move {
                let count = turn.custom::<Value>()?["count"].as_u64().unwrap_or_default() + 1;
                turn.set_custom(json!({ "count": count })).await?;
                Ok(Message::model("counted"))
            },
        ),
        Agent::builder("payer").model(pays).tools([ask]),
        Agent::builder("blocker").handler(|turn: AgentTurn| async move {
            turn.cancelled().await;
            Ok(Message::model("never"))
        }),
        Agent::builder("failing").handler(|_: AgentTurn| async move {
            Err(Error::new(ErrorKind::FailedPrecondition, "not today").into())
        }),
    ];
    agents.into_iter().map(|agent| agent.build().unwrap()).collect()
}

/// Runs a check with its own server.
fn check(name: &str) -> Value {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.spawn(serve_agents(agents()).listener(listener).run());
    let mut node = packages::tool(Path::new("node"));
    node.arg(packages::genkit_agents()).args([name, &url]);
    let ran = program::run(&mut node, LIMIT).unwrap_or_else(|story| panic!("{story}"));
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    runtime.shutdown_background();
    serde_json::from_str(ran.stdout.trim())
        .unwrap_or_else(|error| panic!("{error}: {}", ran.story()))
}

#[test]
fn genkits_client_holds_a_conversation_and_loads_it() {
    let wanted = json!({
        "texts": ["How long?", "Two days, then."], "session": "trip", "kept": 4, "unknown": null,
    });
    assert_eq!(check("chat"), wanted);
}

#[test]
fn genkits_client_follows_the_custom_state() {
    let wanted = json!({
        "seen": {"kinds": ["customPatch", "turnEnd"], "text": "", "reason": "stop"},
        "state": {"count": 2},
    });
    assert_eq!(check("stream"), wanted);
}

#[test]
fn genkits_client_answers_a_question() {
    let wanted = json!({"asked": "interrupted", "input": {"cents": 500}, "text": "Paid."});
    assert_eq!(check("interrupt"), wanted);
}

#[test]
fn genkits_client_aborts_work_in_the_background() {
    assert_eq!(check("detach"), json!({"before": "pending", "after": "aborted"}));
}

#[test]
fn genkits_client_receives_the_error_of_a_turn() {
    let wanted = json!({"status": "FAILED_PRECONDITION", "message": "not today"});
    assert_eq!(check("fail"), wanted);
}
