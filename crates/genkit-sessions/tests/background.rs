//! Background tasks that a model delegates to other agents.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use std::sync::Arc;

use genkit::message::ToolRequest;
use genkit::model::{FnModel, ModelResponse, from_fn};
use genkit::sessions::{Agent, AgentOutput, AgentTurn};
use genkit::testing::ScriptedModel;
use genkit::{Message, tool, tools};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// A model that calls the tools in the user's message one after the other, and responds with the last result. Each line
/// is `NAME ARGUMENTS`; `$` is the id of the last task.
fn obedient() -> FnModel {
    from_fn("obedient", |request, _| async move {
        let told = request.messages.iter().rposition(|it| it.role == genkit::Role::User).unwrap();
        let results: Vec<Value> = request
            .messages
            .iter()
            .flat_map(Message::tool_responses)
            .map(|it| it.output.clone())
            .collect();
        let since = request.messages[told..].iter().flat_map(Message::tool_responses).count();
        let text = request.messages[told].text();
        let Some(line) = text.lines().nth(since) else {
            return ModelResponse::from_text(results.last().unwrap().to_string());
        };
        let started = results.iter().rev().find_map(|it| it["taskId"].as_str());
        let (name, input) = line.split_once(' ').unwrap();
        let input = input.replace('$', started.unwrap_or_default());
        let id = format!("call {}", results.len());
        let request =
            ToolRequest::new(name, serde_json::from_str::<Value>(&input).unwrap()).with_id(id);
        ModelResponse::from_tool_requests([request])
    })
}

fn lead(worker: Agent) -> Agent {
    Agent::builder("lead").model(obedient()).background_agents([worker]).build().unwrap()
}

fn result_of(output: &AgentOutput) -> Value {
    serde_json::from_str(&output.text()).unwrap()
}

/// An agent whose turns end when the semaphore has a permit.
fn slow(gate: &Arc<Semaphore>) -> Agent {
    let gate = Arc::clone(gate);
    let agent = Agent::builder("slow").handler(move |turn: AgentTurn| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await?.forget();
            let said: Vec<String> = turn.messages().iter().map(Message::text).collect();
            Ok(Message::model(format!("did {}", said.join(", "))))
        }
    });
    agent.build().unwrap()
}

#[tokio::test]
async fn task_is_started_in_one_turn_and_its_result_is_read_in_another() {
    let gate = Arc::new(Semaphore::new(0));
    let agent = lead(slow(&gate));
    let session = agent.session("a");
    let started = result_of(&session.send(r#"delegate_to_slow {"task": "dig"}"#).await.unwrap());
    assert_eq!(started["status"], "pending");
    let checked = session.send(r#"check_background_tasks {"taskIds": ["$"]}"#).await.unwrap();
    assert_eq!(result_of(&checked)["tasks"][0]["status"], "pending");
    let wait = r#"wait_for_background_tasks {"taskIds": ["$"], "timeoutSeconds": 0}"#;
    let waited = session.send(wait).await.unwrap();
    assert_eq!(result_of(&waited)["tasks"][0]["status"], "pending");
    gate.add_permits(1);
    let wait = r#"wait_for_background_tasks {"taskIds": ["$"]}"#;
    let waited = result_of(&session.send(wait).await.unwrap());
    assert_eq!(waited["tasks"][0]["response"], "did dig");
    assert_eq!(waited["tasks"][0]["taskId"], started["taskId"]);
    gate.add_permits(1);
    let more = format!("continue_task {{\"taskId\": \"$\", \"instructions\": \"fill\"}}\n{wait}");
    let waited = result_of(&session.send(more).await.unwrap());
    assert_eq!(waited["tasks"][0]["response"], "did dig, did dig, fill");

    // Another session cannot read the task.
    let id = started["taskId"].as_str().unwrap();
    let ask = format!(r#"check_background_tasks {{"taskIds": ["{id}"]}}"#);
    let refused = result_of(&agent.session("b").send(ask).await.unwrap());
    assert!(refused["error"].as_str().unwrap().contains("there is no task"), "{refused}");
}

#[tokio::test]
async fn first_of_two_tasks_ends_the_wait_and_the_other_is_aborted() {
    let gate = Arc::new(Semaphore::new(1));
    let session = lead(slow(&gate)).session("a");
    let first = result_of(&session.send(r#"delegate_to_slow {"task": "one"}"#).await.unwrap());
    session.send(r#"wait_for_background_tasks {"taskIds": ["$"]}"#).await.unwrap();
    let wait = format!(
        "delegate_to_slow {{\"task\": \"two\"}}\nwait_for_background_tasks {{\"taskIds\": [{}, \"$\"], \"waitFor\": \"first\"}}",
        first["taskId"]
    );
    let waited = result_of(&session.send(wait).await.unwrap());
    let status = |reports: &Value, at: usize| reports["tasks"][at]["status"].clone();
    assert_eq!((status(&waited, 0), status(&waited, 1)), (json!("completed"), json!("pending")));
    let stopped = session.send(r#"abort_background_tasks {"taskIds": ["$"]}"#).await.unwrap();
    assert_eq!(status(&result_of(&stopped), 0), "aborted");
    gate.add_permits(1);
    let again =
        "continue_task {\"taskId\": \"$\"}\nwait_for_background_tasks {\"taskIds\": [\"$\"]}";
    let waited = result_of(&session.send(again).await.unwrap());
    assert_eq!(waited["tasks"][0]["response"], "did two");
}

/// Pays an invoice.
#[tool(needs_approval)]
async fn pay(invoice: u32) -> String {
    format!("paid {invoice}")
}

fn payer(name: &'static str, invoice: u32) -> (Agent, ScriptedModel) {
    let request = ToolRequest::new("pay", json!({ "invoice": invoice })).with_id("p");
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([request]),
        ModelResponse::from_text(format!("{name} has paid.")),
    ]);
    let agent = Agent::builder(name).model(model.clone()).tools(tools![pay]);
    (agent.build().unwrap(), model)
}

#[tokio::test]
async fn questions_of_tasks_are_answered_in_the_session_of_their_owner() {
    let ((ann, of_ann), (bob, of_bob)) = (payer("ann", 1), payer("bob", 2));
    let lead = Agent::builder("lead").model(obedient()).background_agents([ann, bob]);
    let session = lead.build().unwrap().session("a");
    let first = result_of(&session.send(r#"delegate_to_ann {"task": "Pay."}"#).await.unwrap());
    let wait = format!(
        "delegate_to_bob {{\"task\": \"Pay.\"}}\nwait_for_background_tasks {{\"taskIds\": [{}, \"$\"]}}",
        first["taskId"]
    );
    let mut output = session.send(wait).await.unwrap();
    let mut rounds = 0;
    while output.is_interrupted() {
        let questions = session.interrupts().await.unwrap();
        assert_eq!(questions.len(), 1);
        let answers: Vec<_> = questions.iter().map(|it| it.approve()).collect();
        output = session.resume(answers).await.unwrap();
        rounds += 1;
    }
    assert_eq!(rounds, 2);
    let responses = result_of(&output);
    let responses = [&responses["tasks"][0]["response"], &responses["tasks"][1]["response"]];
    assert_eq!(responses, ["ann has paid.", "bob has paid."]);
    assert_eq!(of_ann.tool_outputs("pay"), ["paid 1"]);
    assert_eq!(of_bob.tool_outputs("pay"), ["paid 2"]);
}

#[test]
fn agents_for_the_background_have_a_store_and_their_own_name() {
    let agent = || Agent::builder("a").model(obedient());
    let other = || Agent::builder("b").model(obedient());
    let stored = other().build().unwrap();
    assert!(agent().background_agents([stored.clone()]).build().is_ok());
    assert!(agent().background_agents([stored, other().build().unwrap()]).build().is_err());
    let client_managed = other().client_managed(true).build().unwrap();
    assert!(agent().background_agents([client_managed]).build().is_err());
}
