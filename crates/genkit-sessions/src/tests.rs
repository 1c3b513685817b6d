use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use genkit_core::internal::sync::lock;
use genkit_core::{BoxFuture, ErrorKind, Message, Part, Result};
use genkit_flows::{ContextProvider, FlowRequest};
use genkit_http_server::internal::Drain;
use http_body_util::BodyExt as _;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::server::endpoint::AgentEndpoint;
use crate::*;

mod hooked;
mod lost;
mod owners;
mod sealed;
mod search;
mod shares;
mod tasks;
mod unreadable;

/// An agent that counts its turns and repeats the message.
fn echo() -> AgentBuilder {
    Agent::builder("echo").custom(0).handler(|turn: AgentTurn| async move {
        turn.set_custom(turn.custom::<u32>()? + 1).await?;
        let text = turn.input().message.as_ref().map(Message::text).unwrap_or_default();
        if text == "fail" {
            return Err(genkit_core::Error::new(ErrorKind::Unavailable, "not now").into());
        }
        Ok(Message::model(text))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn turns_of_a_session_are_ordered_and_an_idle_session_holds_nothing() {
    let running = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&running);
    let agent = Agent::builder("one-by-one").custom(0).handler(move |turn: AgentTurn| {
        let running = Arc::clone(&counted);
        async move {
            assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0);
            let count: u32 = turn.custom()?;
            tokio::time::sleep(Duration::from_millis(2)).await;
            turn.set_custom(count + 1).await?;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(Message::model("ok"))
        }
    });
    let agent = agent.build().unwrap();
    let turns = (0..20).map(|at| tokio::spawn(agent.session("a").send(format!("{at}")).output()));
    for turn in turns.collect::<Vec<_>>() {
        turn.await.unwrap().unwrap();
    }
    let session = agent.session("a");
    assert_eq!(session.custom::<u32>().await.unwrap(), 20);
    assert_eq!(session.messages().await.unwrap().len(), 40);
    assert_eq!(held_by(&agent), 0);
}

#[tokio::test]
async fn ten_thousand_idle_sessions_hold_nothing() {
    let agent = echo().build().unwrap();
    for at in 0..10_000 {
        agent.session(format!("session {at}")).send("hi").await.unwrap();
    }
    assert_eq!(held_by(&agent), 0);
    assert_eq!(agent.session("session 77").send("there").await.unwrap().text(), "there");
}

#[tokio::test]
async fn new_branch_does_not_change_the_other_branch() {
    let agent = echo().build().unwrap();
    let session = agent.session("a");
    let first = session.send("one").await.unwrap().snapshot_id.unwrap();
    session.send("two").await.unwrap();
    let branch = session.branch(&first).send("three").await.unwrap();
    let snapshot = agent.snapshot(&branch.snapshot_id.unwrap()).await.unwrap().unwrap();
    assert_eq!(snapshot.parent_id, Some(first));
    let texts: Vec<String> = snapshot.state.messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["one", "one", "three", "three"]);
}

#[tokio::test]
async fn a_failed_turn_leaves_the_session_and_wrong_inputs_are_told() {
    let agent = echo().build().unwrap();
    let session = agent.session("a");
    session.send("one").await.unwrap();
    assert_eq!(session.send("fail").await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(session.messages().await.unwrap().len(), 2);
    assert_eq!(session.custom::<u32>().await.unwrap(), 1);
    assert_eq!(session.retry_turn().await.unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert!(agent.session("").send("hi").await.is_err());
    assert!(agent.session("a\n").send("hi").await.is_err());
    for id in ["../../etc/passwd", "", "a.b"] {
        assert!(agent.snapshot(id).await.unwrap().is_none(), "{id}");
    }
    assert!(Agent::builder("a/b").build().is_err());
}

#[tokio::test]
async fn a_turn_that_is_dropped_frees_its_session() {
    let agent = Agent::builder("slow").handler(|turn: AgentTurn| async move {
        if turn.messages().len() == 1
            && turn.input().message.as_ref().map(Message::text).as_deref() == Some("hang")
        {
            std::future::pending::<()>().await;
        }
        Ok(Message::model("ok"))
    });
    let agent = agent.build().unwrap();
    let hanging = agent.session("a").send("hang").output();
    assert!(tokio::time::timeout(Duration::from_millis(50), hanging).await.is_err());
    assert_eq!(agent.session("a").send("go").await.unwrap().text(), "ok");
    assert_eq!(agent.session("a").messages().await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_dropped_turn_is_cancelled_and_the_turn_of_a_stopped_server_is_continued() {
    let folder = std::env::temp_dir().join(format!("genkit-dropped-{}", uuid::Uuid::new_v4()));
    let hangs = Arc::new(AtomicUsize::new(2));
    let left = Arc::clone(&hangs);
    let agent = Agent::builder("slow")
        .store(genkit_durable::FolderStore::open(&folder).unwrap())
        .handler(move |turn: AgentTurn| {
            let hangs = Arc::clone(&hangs);
            async move {
                let text = turn.input().message.as_ref().map(Message::text).unwrap_or_default();
                if text.starts_with("hang") && hangs.load(Ordering::SeqCst) > 0 {
                    hangs.fetch_sub(1, Ordering::SeqCst);
                    std::future::pending::<()>().await;
                }
                Ok(Message::model("ok"))
            }
        })
        .build()
        .unwrap();
    for (text, keeps, after) in [("hang and drop", false, 1), ("hang and stop", true, 0)] {
        let input = AgentInput::from_message(Message::user(text));
        let run = agent.run(AgentInit::from_session("a"), [input]);
        let keeps_turn = run.keeps_turn();
        let ended = async {
            while left.load(Ordering::SeqCst) > after {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            keeps_turn.store(keeps, Ordering::SeqCst);
        };
        tokio::select! {
            _ = run.output() => panic!("the turn hangs"),
            () = ended => {}
        }
    }
    agent.session("a").send("go").await.unwrap();
    let messages = agent.session("a").messages().await.unwrap();
    let texts: Vec<String> = messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["hang and stop", "ok", "go", "ok"]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_first_turn_that_fails_leaves_nothing_in_the_store() {
    use genkit_core::RunStore as _;
    let folder = std::env::temp_dir().join(format!("genkit-failed-{}", uuid::Uuid::new_v4()));
    let store = genkit_durable::FolderStore::open(&folder).unwrap();
    let agent = echo().store(store.clone()).build().unwrap();
    assert!(agent.session("a").send("fail").await.is_err());
    let listed = store.list(&genkit_core::RunFilter::new()).await.unwrap();
    assert_eq!(listed.len(), 0, "{listed:?}");
    agent.session("a").send("hi").await.unwrap();
    let listed = store.list(&genkit_core::RunFilter::new()).await.unwrap();
    assert_eq!(listed.len(), 1, "the journal is removed: {listed:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_turn_in_the_background_is_waited_for() {
    let agent = echo().build().unwrap();
    let input = AgentInput::from_message(Message::user(Part::text("work"))).detached(true);
    let output = agent.session("a").send_input(input).await.unwrap();
    assert_eq!(output.finish_reason, AgentFinishReason::Detached);
    let id = output.snapshot_id.unwrap();
    let snapshot = agent.wait_for_snapshot(&id, Duration::from_secs(60)).await.unwrap();
    assert_eq!(snapshot.status, SnapshotStatus::Completed);
    assert_eq!(snapshot.state.messages.len(), 2);
}

/// Identifies a caller by a header.
struct ByHeader;

impl ContextProvider for ByHeader {
    fn provide<'a>(
        &'a self,
        request: &'a FlowRequest,
    ) -> BoxFuture<'a, Result<Map<String, Value>>> {
        let name = request.header("x-user").unwrap_or_default().to_owned();
        Box::pin(async move { Ok(Map::from_iter([("auth".to_owned(), json!(name))])) })
    }
}

async fn post(
    endpoint: &Arc<AgentEndpoint>,
    path: &str,
    headers: &[(&str, &str)],
    body: Value,
) -> (u16, String) {
    let mut request = Request::post(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = endpoint.answer(request.body(Body::from(body.to_string())).unwrap()).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

fn endpoint(server: AgentServer) -> Arc<AgentEndpoint> {
    let (drain, end) = (Drain::default(), CancellationToken::new());
    Arc::new(AgentEndpoint::new(server, drain, end).ok().unwrap())
}

#[tokio::test]
async fn a_session_over_http_belongs_to_its_caller() {
    let server = serve_agents([echo().build().unwrap()]).context_provider(ByHeader);
    let endpoint = endpoint(server);
    let body = json!({"data": {"message": {"role": "user", "content": [{"text": "hi"}]}}, "init": {"sessionId": "s"}});
    let (status, output) = post(&endpoint, "/echo", &[("x-user", "ann")], body).await;
    let output: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((status, &output["result"]["finishReason"]), (200, &json!("stop")));
    let lookups =
        [json!({"sessionId": "s"}), json!({"snapshotId": output["result"]["snapshotId"]})];
    for lookup in lookups {
        let body = json!({ "data": lookup });
        let (_, own) =
            post(&endpoint, "/echo/getSnapshot", &[("x-user", "ann")], body.clone()).await;
        assert!(own.contains("\"status\":\"completed\""), "{own}");
        let (_, other) = post(&endpoint, "/echo/getSnapshot", &[("x-user", "bob")], body).await;
        assert_eq!(other, r#"{"result":null}"#);
    }
}

#[tokio::test]
async fn context_provider_sees_the_agent_of_every_request_and_one_credential() {
    let provider = |request: FlowRequest| async move {
        match request.flow() {
            "echo" => Ok(json!({"auth": "ann"})),
            _ => Err(genkit_core::Error::new(ErrorKind::PermissionDenied, "not this agent").into()),
        }
    };
    let agents = [echo().build().unwrap(), Agent::builder("getSnapshot").build().unwrap()];
    let endpoint = endpoint(serve_agents(agents).context_provider(provider));
    let body = || json!({"data": {"sessionId": "s"}});
    for (path, is_allowed) in [
        ("/echo", true),
        ("/echo/getSnapshot", true),
        ("/echo/abort", true),
        ("/echo/wait", true),
        ("/getSnapshot", false),
        ("/getSnapshot/getSnapshot", false),
        ("/getSnapshot/echo", false),
        ("/abort/wait", false),
    ] {
        let (status, text) = post(&endpoint, path, &[], body()).await;
        assert_eq!(status != 403, is_allowed, "{path}: {text}");
    }
    let twice = [("authorization", "Bearer a"), ("authorization", "Bearer b")];
    let (status, text) = post(&endpoint, "/echo/getSnapshot", &twice, body()).await;
    assert!(status == 400 && text.contains("`Authorization`"), "{text}");
}

#[tokio::test]
async fn requests_over_http_are_streamed_and_checked() {
    let endpoint = endpoint(serve_agents([echo().build().unwrap()]));
    let message = |text: &str| json!({"data": {"message": {"role": "user", "content": [{"text": text}]}}, "init": {}});
    let events = ("accept", "text/event-stream");
    let (_, stream) = post(&endpoint, "/echo", &[events], message("grüße")).await;
    assert!(stream.starts_with(r#"data: {"message":{"customPatch":"#), "{stream}");
    assert!(stream.trim_end().rsplit("\n\n").next().unwrap().starts_with(r#"data: {"result":"#));
    assert!(stream.is_ascii());
    let (status, failed) = post(&endpoint, "/echo", &[], message("fail")).await;
    assert!(status == 200 && failed.contains("UNAVAILABLE"), "{failed}");
    let from_user = |part: Value| json!({"data": {"message": {"role": "user", "content": [part]}}});
    for (path, body, expected) in [
        ("/nobody", json!({}), 404),
        ("/echo/remove", json!({}), 404),
        ("/echo", json!([1]), 400),
        ("/echo", json!({"data": {"message": 1}}), 400),
        ("/echo", from_user(json!({"media": {"url": "file-abc"}})), 400),
        ("/echo", from_user(json!({"media": {"url": "gs://bucket/secret"}})), 400),
        ("/echo", from_user(json!({"toolResponse": {"name": "pay", "output": 1}})), 400),
        ("/echo", json!({"init": {"state": {}}}), 400),
    ] {
        let (status, answer) = post(&endpoint, path, &[], body).await;
        assert_eq!(status, expected, "{path}: {answer}");
    }
    let from_page = [("origin", "https://evil.example")];
    assert_eq!(post(&endpoint, "/echo", &from_page, message("hi")).await.0, 403);
    let other_host = Request::post("/echo").header("host", "evil.example").body(Body::empty());
    assert_eq!(endpoint.answer(other_host.unwrap()).await.status().as_u16(), 403);
}

#[tokio::test]
async fn a_turn_in_the_background_holds_its_place() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let waiting = Arc::clone(&gate);
    let agent = Agent::builder("slow").handler(move |_: AgentTurn| {
        let gate = Arc::clone(&waiting);
        async move {
            gate.acquire().await.expect("an open gate").forget();
            Ok(Message::model("ok"))
        }
    });
    let endpoint = endpoint(serve_agents([agent.build().unwrap()]).max_in_flight(1));
    let message = json!({"role": "user", "content": [{"text": "hi"}]});
    let body = json!({"data": {"message": message, "detach": true}, "init": {"sessionId": "s"}});
    let (status, detached) = post(&endpoint, "/slow", &[], body.clone()).await;
    assert_eq!(status, 200, "{detached}");
    assert!(detached.contains("detached"), "{detached}");
    let (status, refused) = post(&endpoint, "/slow", &[], body.clone()).await;
    assert_eq!(status, 429, "{refused}");
    gate.add_permits(2);
    // The slot is free after the turn has ended.
    while post(&endpoint, "/slow", &[], body.clone()).await.0 == 429 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn a_patch_names_only_the_members_that_changed() {
    let patch = crate::custom_state::diff(
        &json!({"a": 1, "b/c": {"d": 1}, "e": 0}),
        &json!({"a": 1, "b/c": {"d": 2}, "f": []}),
    );
    let expected = json!([
        {"op": "replace", "path": "/b~1c/d", "value": 2},
        {"op": "add", "path": "/f", "value": []},
        {"op": "remove", "path": "/e"},
    ]);
    assert_eq!(Value::from(patch), expected);
    assert!(crate::custom_state::diff(&json!([1]), &json!([1])).is_empty());
}

/// Returns the number of sessions that the agent holds in memory.
fn held_by(agent: &Agent) -> usize {
    let sessions = agent.0.sessions.as_ref().expect("sessions");
    lock(&sessions.gates).len() + lock(&sessions.workers).len()
}

#[tokio::test]
async fn compaction_shortens_requests_and_keeps_the_history() {
    let model = genkit_model::ScriptedModel::texts((0..12).map(|at| format!("answer {at}")));
    let agent = Agent::builder("long")
        .model(model.clone())
        .middleware(genkit_agent::middleware::compact(300))
        .build()
        .unwrap();
    for at in 0..12 {
        let text = format!("{at} {}", "a long question ".repeat(10));
        agent.session("a").send(text).await.unwrap();
    }
    let messages = agent.session("a").messages().await.unwrap();
    assert_eq!(messages.len(), 24);
    assert!(messages[0].text().starts_with("0 a long"));
    assert!(model.requests()[11].messages.len() < 12);
}

#[tokio::test]
async fn usage_of_a_sub_agent_before_a_crash_counts() {
    use genkit_core::{ModelResponse, ToolRequest, Usage};
    let folder = std::env::temp_dir().join(format!("genkit-crash-{}", uuid::Uuid::new_v4()));
    let used = |response: ModelResponse, tokens: u64| {
        response.with_usage(Usage::default().with_input_tokens(tokens).with_output_tokens(0))
    };
    let call = |name: &str| {
        ModelResponse::from_tool_requests([ToolRequest::new(name, json!({"task": "Go."}))])
    };
    let hangs = Arc::new(AtomicUsize::new(1));
    let small = genkit_model::from_fn("small", move |request, _| {
        let hangs = Arc::clone(&hangs);
        async move {
            if request.messages.iter().flat_map(Message::tool_responses).next().is_none() {
                return used(call("step"), 10);
            }
            if hangs.swap(0, Ordering::SeqCst) > 0 {
                std::future::pending::<()>().await;
            }
            used(ModelResponse::from_text("helped"), 20)
        }
    });
    let step = genkit_core::Tool::builder("step", "Does a step.")
        .handler(|_: genkit_core::Context, _: Value| async { Ok("stepped") });
    let helper = Agent::builder("helper").model(small).tools([step]).build().unwrap();
    let large = genkit_model::ScriptedModel::new([
        used(call("helper"), 1),
        used(ModelResponse::from_text("done"), 2),
    ]);
    let lead = Agent::builder("lead")
        .model(large)
        .tools([helper.into_tool().unwrap()])
        .store(genkit_durable::FolderStore::open(&folder).unwrap())
        .build()
        .unwrap();
    let input = || [AgentInput::from_message(Message::user("Go."))];
    let run = lead.run(AgentInit::from_session("a"), input());
    let keeps_turn = run.keeps_turn();
    assert!(
        tokio::time::timeout(Duration::from_millis(300), async {
            keeps_turn.store(true, Ordering::SeqCst);
            run.output().await
        })
        .await
        .is_err()
    );
    let output = lead.run(AgentInit::from_session("a"), input()).await.unwrap();
    assert_eq!(output.text(), "done");
    assert_eq!(output.usage.unwrap().input_tokens, Some(33));
    std::fs::remove_dir_all(folder).unwrap();
}
