//! Genkit's conformance cases for agents, from `agent.yaml` in each folder of `GENKIT_SPEC_DIRS`, and an agent that
//! another agent calls.
//!
//! Some cases follow older rules of Genkit. This crate follows the newer rules:
//!
//! | a case expects | here |
//! |---|---|
//! | a failed snapshot cannot be resumed | it can: an empty input runs the turn again, and a message continues |
//! | an aborted snapshot cannot be resumed | the same |
//! | a failed snapshot is skipped when a session is resumed by its id | the session continues from it, with its finished rounds |
//! | an aborted snapshot is skipped in the same way | the session continues from it, with the message of the turn |
//! | a pending snapshot is refused with `INVALID_ARGUMENT` | with `FAILED_PRECONDITION` |
//! | no chunk for a response that the model does not stream | one chunk with the whole response, as in every stream of a run, for clients that display only chunks |
//! | an abort returns the previous status | the new status; the previous status is read from the snapshot |

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::model::{ChunkSink, GenerateChunk, Model, ModelRequest, ModelResponse};
use genkit::sessions::{
    Agent, AgentChunk, AgentInit, AgentInput, AgentOutput, AgentTurn, Artifact, Snapshot,
};
use genkit::{BoxFuture, Context, Message, Part, Result, Role, Tool};
use genkit_tests::case_folders;
use serde_json::{Value, json};

type Call = (Vec<GenerateChunk>, Option<ModelResponse>);

/// A model whose responses are set by each step.
#[derive(Clone, Default)]
struct Programmable(Arc<Mutex<VecDeque<Call>>>);

impl Model for Programmable {
    fn name(&self) -> &str {
        "programmableModel"
    }

    fn generate<'a>(
        &'a self,
        _: &'a ModelRequest,
        sink: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        let call = self.0.lock().unwrap().pop_front();
        Box::pin(async move {
            let (chunks, response) = call.unwrap_or_default();
            for chunk in chunks {
                sink.send(chunk);
            }
            response.ok_or_else(|| genkit::Error::not_found("no response is programmed"))
        })
    }
}

fn tool(name: &str) -> Tool {
    match name {
        "testTool" => Tool::builder(name.to_owned(), "Tests.")
            .handler(|_: Context, _: Value| async { Ok("tool called".to_owned()) }),
        "interruptTool" => Tool::builder(name.to_owned(), "Asks.").interrupts(),
        _ => Tool::builder(name.to_owned(), "Does.").handler(
            |ctx: Context, input: Value| async move {
                ctx.interrupt(json!({"message": "Do it?"})).await?;
                Ok(json!({"result": format!("confirmed: {}", input["action"])}))
            },
        ),
    }
}

fn done() -> Message {
    Message::model("done")
}

async fn count(turn: AgentTurn) -> Result<Message> {
    let count = turn.custom::<Value>()?["counter"].as_u64().unwrap_or_default();
    turn.set_custom(json!({"counter": count + 1})).await?;
    Ok(done())
}

async fn count_many(turn: AgentTurn) -> Result<Message> {
    turn.set_custom(json!({"counter": 1, "status": "working"})).await?;
    turn.set_custom(json!({"counter": 2, "status": "working"})).await?;
    turn.set_custom(json!({"counter": 2, "status": "done"})).await?;
    Ok(done())
}

async fn write_documents(turn: AgentTurn) -> Result<Message> {
    for (name, text) in [("doc1", "v1"), ("doc1", "v2"), ("doc2", "other")] {
        turn.put_artifact(Artifact::new(name, [Part::text(text)])).await;
    }
    Ok(done())
}

async fn write_next(turn: AgentTurn) -> Result<Message> {
    let next = turn.artifacts().len() + 1;
    let part = Part::text(format!("content{next}"));
    turn.put_artifact(Artifact::new(format!("doc{next}"), [part])).await;
    Ok(done())
}

fn agent(name: &str, model: &Programmable) -> Agent {
    let builder = Agent::builder(name);
    let prompted = |builder: genkit::sessions::AgentBuilder| {
        builder.model(model.clone()).config(json!({"temperature": 1}))
    };
    let built = match name {
        "promptAgent" => prompted(builder).client_managed(true),
        "promptAgentWithSystem" => prompted(builder).instructions("Be brief.").client_managed(true),
        "promptAgentWithStore" => prompted(builder),
        "promptAgentWithTools" => prompted(builder).tools([tool("testTool")]).client_managed(true),
        "promptAgentWithInterrupt" => prompted(builder).tools([tool("interruptTool")]),
        "promptAgentWithRestartTool" => prompted(builder).tools([tool("restartTool")]),
        "customAgentBlocking" => builder.handler(|turn: AgentTurn| async move {
            turn.cancelled().await;
            Ok(done())
        }),
        "customAgentFailing" => builder.handler(|_: AgentTurn| async move {
            Err(genkit::Error::new(genkit::ErrorKind::Internal, "intentional failure").into())
        }),
        "customAgentWithArtifacts" => {
            builder.client_managed(true).handler(|turn| async { Ok(write_documents(turn).await?) })
        }
        "customAgentWithArtifactsStore" => {
            builder.handler(|turn| async { Ok(write_next(turn).await?) })
        }
        "customAgentWithCustomState" => {
            builder.client_managed(true).handler(|turn| async { Ok(count(turn).await?) })
        }
        "customAgentWithCustomStateStore" => {
            builder.handler(|turn| async { Ok(count(turn).await?) })
        }
        "customAgentWithMultiCustomState" => {
            builder.client_managed(true).handler(|turn| async { Ok(count_many(turn).await?) })
        }
        other => panic!("unknown agent {other}"),
    };
    built.build().unwrap()
}

/// Returns whether a map contains the expected keys, a list contains the expected items in order, or a scalar is equal.
fn contains(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => expected
            .iter()
            .all(|(key, value)| contains(found.get(key).unwrap_or(&Value::Null), value)),
        (Value::Array(found), Value::Array(expected)) => {
            let mut rest = found.iter();
            expected.iter().all(|value| rest.any(|found| contains(found, value)))
        }
        _ => found == expected,
    }
}

#[derive(Default)]
struct Captured(HashMap<String, Value>);

impl Captured {
    fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let name = text.strip_prefix("{{").and_then(|it| it.strip_suffix("}}"));
                name.map_or_else(|| value.clone(), |name| self.0[name].clone())
            }
            Value::Array(list) => list.iter().map(|it| self.fill(it)).collect(),
            Value::Object(map) => {
                map.iter().map(|(key, it)| (key.clone(), self.fill(it))).collect()
            }
            other => other.clone(),
        }
    }

    fn capture(&mut self, step: &Value, output: &AgentOutput) {
        let found = serde_json::to_value(output).unwrap();
        let values = [
            ("captureSnapshotId", &found["snapshotId"]),
            ("captureState", &found["state"]),
            ("captureSessionId", &found["state"]["sessionId"]),
        ];
        for (field, value) in values {
            if let Some(name) = step[field].as_str() {
                assert!(!value.is_null(), "{field}: {found}");
                self.0.insert(name.to_owned(), value.clone());
            }
        }
    }
}

fn check_chunks(found: &[AgentChunk], expected: &[Value]) {
    let found: Vec<Value> = found.iter().map(|it| serde_json::to_value(it).unwrap()).collect();
    assert_eq!(found.len(), expected.len(), "chunks {found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(contains(found, expected), "{found} does not contain {expected}");
    }
}

fn check_output(output: &AgentOutput, expected: &Value) {
    let found = serde_json::to_value(output).unwrap();
    let same = |name: &str, found: &Value, expected: &Value| {
        assert!(
            expected.is_null() || contains(found, expected),
            "{name}: {found:#} does not contain {expected}"
        );
    };
    same("message", &found["message"], &expected["message"]);
    same("finishReason", &found["finishReason"], &expected["finishReason"]);
    same("state", &found["state"], &expected["stateContains"]);
    if let Some(message) = expected["errorContains"]["message"].as_str() {
        assert!(found["error"]["message"].as_str().unwrap().contains(message), "{found:#}");
        same("status", &found["error"]["status"], &expected["errorContains"]["status"]);
    }
    if expected["hasSnapshotId"] == true {
        assert!(found["snapshotId"].is_string() && found["state"].is_null(), "{found:#}");
    }
    if expected["hasSessionId"] == true {
        assert!(found["state"]["sessionId"].is_string(), "{found:#}");
    }
    check_artifacts(&found["artifacts"], &expected["artifactsContain"]);
}

fn check_artifacts(found: &Value, expected: &Value) {
    for expected in expected.as_array().into_iter().flatten() {
        let mut same = found.as_array().unwrap().iter().filter(|it| it["name"] == expected["name"]);
        assert!(contains(same.next().unwrap(), expected), "{found:#} does not contain {expected}");
        assert!(same.next().is_none(), "{found:#}");
    }
}

fn check_snapshot(snapshot: &Snapshot, expected: &Value) {
    let found = serde_json::to_value(snapshot).unwrap();
    for field in ["status", "parentId", "finishReason"] {
        assert!(expected[field].is_null() || found[field] == expected[field], "{found:#}");
    }
    for (field, expected) in
        [("state", "stateContains"), ("error", "errorContains")].map(|(a, b)| (a, &expected[b]))
    {
        assert!(
            expected.is_null() || contains(&found[field], expected),
            "{found:#} does not contain {expected}"
        );
    }
    assert!(expected["hasSessionId"] != true || found["state"]["sessionId"].is_string());
    check_artifacts(&found["state"]["artifacts"], &expected["artifactsContain"]);
}

async fn send(agent: &Agent, model: &Programmable, step: &Value, captured: &mut Captured) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (responses, chunks) = (list(&step["modelResponses"]), list(&step["streamChunks"]));
    let calls = (0..responses.len().max(chunks.len())).map(|at| {
        let chunks = chunks.get(at).map(|it| serde_json::from_value(it.clone()).unwrap());
        let response = responses.get(at).map(|it| serde_json::from_value(it.clone()).unwrap());
        (chunks.unwrap_or_default(), response)
    });
    *model.0.lock().unwrap() = calls.collect();
    let init: AgentInit = match captured.fill(&step["init"]) {
        Value::Null => AgentInit::default(),
        init => serde_json::from_value(init).unwrap(),
    };
    let inputs = captured.fill(&step["inputs"]);
    let inputs: Vec<AgentInput> = serde_json::from_value(inputs).unwrap();
    let mut run = agent.run(init, inputs);
    let mut chunks = Vec::new();
    while let Some(chunk) = run.next().await {
        chunks.push(chunk);
    }
    let output = run.await;
    let expected = captured.fill(&step["expectError"]);
    if let Some(message) = expected["message"].as_str() {
        let error = output.expect_err("an error is expected");
        assert!(error.to_string().contains(message), "{error}");
        let status = format!("{:?}", error.kind()).to_lowercase();
        assert_eq!(status, expected["status"].as_str().unwrap().replace('_', "").to_lowercase());
        return;
    }
    let output = output.unwrap();
    if let Some(expected) = step["expectChunks"].as_array() {
        if step["streamChunks"].is_null() {
            let is_whole = |it: &AgentChunk| matches!(it, AgentChunk::ModelChunk(it) if it.role == Some(Role::Model));
            chunks.retain(|it| !is_whole(it));
        }
        check_chunks(&chunks, expected);
    }
    check_output(&output, &captured.fill(&step["expectOutput"]));
    captured.capture(step, &output);
}

async fn look_up(agent: &Agent, step: &Value, captured: &Captured) -> Result<Option<Snapshot>> {
    if let Some(session) = captured.fill(&step["sessionId"]).as_str() {
        return agent.session(session).snapshot().await;
    }
    agent.snapshot(captured.fill(&step["snapshotId"]).as_str().unwrap()).await
}

async fn run_case(case: &Value) {
    let (model, mut captured) = (Programmable::default(), Captured::default());
    let agent = agent(case["agent"].as_str().unwrap(), &model);
    for step in case["steps"].as_array().unwrap() {
        match step["type"].as_str().unwrap() {
            "send" => send(&agent, &model, step, &mut captured).await,
            "getSnapshotData" => {
                let found = look_up(&agent, step, &captured).await.unwrap();
                let expected = captured.fill(&step["expectSnapshot"]);
                check_snapshot(&found.expect("a snapshot"), &expected);
            }
            "waitUntilCompleted" => {
                let id = captured.fill(&step["snapshotId"]);
                let limit = Duration::from_secs(60);
                let found = agent.wait_for_snapshot(id.as_str().unwrap(), limit).await.unwrap();
                check_snapshot(&found, &captured.fill(&step["expectSnapshot"]));
            }
            "abort" => {
                let id = captured.fill(&step["snapshotId"]);
                let id = id.as_str().unwrap();
                let before = agent.snapshot(id).await.unwrap().map(|it| it.status);
                let before = serde_json::to_value(before).unwrap();
                assert_eq!(before, step["expectPreviousStatus"]);
                assert_eq!(agent.abort(id).await.unwrap().is_some(), !before.is_null());
            }
            other => panic!("unknown step {other}"),
        }
    }
}

#[tokio::test]
async fn genkits_cases_pass() {
    let mut ran = 0;
    let mut failed = Vec::new();
    for folder in case_folders::find("specs", "GENKIT_SPEC_DIRS", "genkit-specs") {
        for (name, path) in folder.files("yaml") {
            if !path.ends_with("agent.yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let cases: Value = serde_yaml_ng::from_str(&text).unwrap();
            for case in cases["tests"].as_array().unwrap().clone() {
                ran += 1;
                let title = format!("{name}: {}", case["name"].as_str().unwrap());
                if tokio::spawn(async move { run_case(&case).await }).await.is_err() {
                    failed.push(title);
                }
            }
        }
    }
    eprintln!("{ran} cases of agents ran");
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Refunds an order.
#[genkit::tool(needs_approval)]
async fn refund(order: u32) -> String {
    format!("refunded {order}")
}

#[tokio::test]
async fn a_question_of_a_sub_agent_is_answered_in_the_session_of_its_caller() {
    use genkit::message::ToolRequest;
    let calls = |name: &str, input: Value| {
        ModelResponse::from_tool_requests([ToolRequest::new(name, input)])
    };
    let small = genkit::testing::ScriptedModel::new([
        calls("refund", json!({"order": 7})),
        ModelResponse::from_text("Order 7 is refunded."),
    ]);
    let large = genkit::testing::ScriptedModel::new([
        calls("billing", json!({"task": "Refund order 7."})),
        ModelResponse::from_text("You have your money back."),
    ]);
    let billing = Agent::builder("billing")
        .description("Refunds orders.")
        .model(small)
        .tools(genkit::tools![refund])
        .build()
        .unwrap();
    let support = Agent::builder("support")
        .model(large.clone())
        .tools([billing.into_tool().unwrap()])
        .build()
        .unwrap();
    let session = support.session("customer");
    let asked = session.send("Refund order 7.").await.unwrap();
    assert!(asked.is_interrupted() && asked.interrupts().len() == 1, "{asked:?}");
    assert_eq!(
        session.send("Hello?").await.unwrap_err().kind(),
        genkit::ErrorKind::FailedPrecondition
    );
    let answers: Vec<_> =
        session.interrupts().await.unwrap().iter().map(|it| it.approve()).collect();
    let output = session.resume(answers).await.unwrap();
    assert_eq!(output.text(), "You have your money back.");
    assert_eq!(large.tool_outputs("billing"), ["Order 7 is refunded."]);
}
