//! The actions that the Developer UI lists and runs. Its own server forwards the requests of the UI to the program.

use serde_json::{Value, json};

use super::tools::{Project, Protocol, Started};

#[test]
fn every_kind_of_action_is_listed_and_runs_over_http() {
    every_kind("ui-http", Protocol::Http);
}

#[test]
fn every_kind_of_action_is_listed_and_runs_over_a_websocket() {
    every_kind("ui-websocket", Protocol::WebSocket);
}

fn every_kind(test: &str, protocol: Protocol) {
    let project = Project::new(test);
    let tools = project.start(protocol, "playground", &[]);
    let runtimes = tools.ask("getActiveRuntimes", None).unwrap();
    let runtime = &runtimes["result"]["data"][0];
    assert_eq!(runtime["name"], "playground", "{runtimes}");
    assert_eq!(project.runtime_files().len(), usize::from(protocol == Protocol::Http));
    listed(&tools);
    ran(&tools);
    streamed(&tools);
    conversed(&tools);
    failed(&tools);
    cancelled(&tools);
    tools.end();
    assert!(project.runtime_files().is_empty(), "a program that ends removes its file");
}

fn listed(tools: &Started) {
    let listed = tools.ask("listActions", None).unwrap();
    let actions = listed["result"]["data"].as_object().unwrap_or_else(|| panic!("{listed}"));
    let keys: Vec<&str> = actions.keys().map(String::as_str).collect();
    for key in [
        "/flow/shout",
        "/flow/wait",
        "/flow/whoami",
        "/tool/add",
        "/tool.v2/add",
        "/model/house/echo",
        "/prompt/haiku",
        "/executable-prompt/haiku",
        "/resource/rules",
        "/evaluator/genkitEval/deep_equal",
        "/agent/clerk",
        "/agent-snapshot/clerk",
        "/agent-abort/clerk",
        "/resource/note",
        "/util/generate",
    ] {
        let action = actions.get(key).unwrap_or_else(|| panic!("{key} is not among {keys:?}"));
        assert_eq!(action["key"], key);
        assert!(action["inputSchema"].is_object(), "{action}");
    }
    assert_eq!(actions["/model/house/echo"]["metadata"]["model"]["supports"]["tools"], true);
    assert_eq!(actions["/prompt/haiku"]["metadata"]["prompt"]["model"], "house/echo");
    let input = json!({"type": "defaultModel"});
    let values = tools.ask("listValues", Some(input)).unwrap();
    assert_eq!(values["result"]["data"]["defaultModel"]["name"], "house/echo", "{values}");
}

fn ran(tools: &Started) {
    let messages = json!([{"role": "user", "content": [{"text": "hi"}]}]);
    let said = json!({"role": "model", "content": [{"text": "echo: hi"}]});
    let haiku = json!([{"text": "A haiku about rain, please."}]);
    let rules = json!({"resource": {"uri": "house://rules"}});
    for (key, input, at, expected) in [
        ("/flow/shout", json!({"text": "hi"}), "", json!("HI")),
        ("/tool/add", json!({"a": 2, "b": 3}), "", json!(5)),
        ("/tool.v2/add", json!({"a": 2, "b": 3}), "", json!({"output": 5})),
        ("/model/house/echo", json!({ "messages": messages }), "/message", said.clone()),
        ("/prompt/haiku", json!({"topic": "rain"}), "/messages/0/content", haiku.clone()),
        ("/prompt/haiku", json!({"topic": "rain"}), "/tools/0/name", json!("add")),
        ("/executable-prompt/haiku", json!({"topic": "rain"}), "/messages/0/content", haiku),
        ("/executable-prompt/haiku", json!({"topic": "rain"}), "/model", json!("house/echo")),
        ("/resource/rules", json!({"uri": "house://rules"}), "/content/0/metadata", rules),
        ("/resource/note", json!({"uri": "note://7"}), "/content/0/text", json!("note 7")),
        ("/util/generate", json!({"model": "house/echo", "messages": messages}), "/message", said),
    ] {
        let answer = tools.run(json!({"key": key, "input": input}));
        assert_eq!(answer["result"].pointer(at), Some(&expected), "{key}: {answer}");
        assert_eq!(
            answer["telemetry"]["traceId"].as_str().map(str::len),
            Some(32),
            "{key}: {answer}"
        );
    }
    let context = json!({"auth": {"user": "Ann"}});
    let answer = tools.run(json!({"key": "/flow/whoami", "context": context}));
    assert_eq!(answer["result"], "Ann", "{answer}");
}

fn streamed(tools: &Started) {
    let stream = |key: &str, input: Value| -> Vec<Value> {
        let text = tools.post("streamAction", json!({"key": key, "input": input}));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let lines = stream("/flow/shout", json!({"text": "a b"}));
    assert_eq!(lines[..2], [json!("A"), json!("B")]);
    assert_eq!((lines.len(), &lines[2]["result"]), (3, &json!("A B")), "{lines:?}");
    let input =
        json!({"model": "house/echo", "messages": [{"role": "user", "content": [{"text": "hi"}]}]});
    let lines = stream("/util/generate", input);
    let chunk = json!({"role": "model", "index": 0, "content": [{"text": "echo: "}]});
    assert_eq!(lines[0], chunk, "{lines:?}");
    assert_eq!(lines.last().unwrap()["result"]["finishReason"], "stop");
}

/// The requests of the agent's page. The page itself is not part of the npm package: the CLI downloads it from its
/// vendor.
fn conversed(tools: &Started) {
    let send = |text: &str| -> Vec<Value> {
        let message = json!({"role": "user", "content": [{"text": text}]});
        let request = json!({
            "key": "/agent/clerk", "input": {"message": message}, "init": {"sessionId": "page"},
        });
        let sent = tools.post("streamAction", request);
        sent.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let lines = send("2 + 3");
    let contents = lines.iter().filter_map(|line| line["modelChunk"]["content"].as_array());
    let parts: Vec<&Value> = contents.flatten().collect();
    assert!(parts.iter().any(|part| part["toolRequest"]["name"] == "add"), "{lines:?}");
    assert!(parts.iter().any(|part| part["toolResponse"]["output"] == 5), "{lines:?}");
    let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    assert_eq!(texts, ["It is ", "5."]);
    let result = &lines.last().unwrap()["result"];
    assert_eq!(result["message"]["content"][0]["text"], "It is 5.", "{lines:?}");
    assert_eq!(result["finishReason"], "stop", "{lines:?}");
    send("20 + 3");
    let snapshot =
        tools.run(json!({"key": "/agent-snapshot/clerk", "input": {"sessionId": "page"}}));
    let messages = snapshot["result"]["state"]["messages"].as_array();
    assert_eq!(messages.map(Vec::len), Some(8), "{snapshot}");
    let ended = json!({"snapshotId": snapshot["result"]["snapshotId"]});
    let abort = tools.run(json!({"key": "/agent-abort/clerk", "input": ended}));
    assert_eq!(abort["result"]["status"], "completed", "{abort}");
}

fn failed(tools: &Started) {
    let invalid = tools.run(json!({"key": "/flow/shout", "input": {"word": "hi"}}));
    assert_eq!(invalid["error"]["code"], 3, "{invalid}");
    let asks = tools.run(json!({"key": "/tool/delete", "input": {"id": 7}}));
    assert_eq!(asks["error"]["code"], 9, "{asks}");
    assert!(asks["error"]["message"].as_str().unwrap().contains("Allow `delete`"), "{asks}");
    let unknown = tools.run(json!({"key": "/flow/nosuch"}));
    assert!(unknown.get("error").is_some(), "{unknown}");
}

/// A running flow is found by its trace before it ends.
fn cancelled(tools: &Started) {
    let request = json!({"key": "/flow/wait", "input": {"seconds": 3600}});
    let running = tools.post_meanwhile("streamAction", request);
    // The newest trace without an end is that of the flow.
    let trace_id = tools.wait_for("trace of the flow", || {
        let traces = tools.ask("listTraces", Some(json!({"limit": 5})))?;
        let traces = traces["result"]["data"]["traces"].as_array()?.clone();
        let is_it = |trace: &&Value| trace["displayName"] == "wait";
        Some(traces.iter().find(is_it)?["traceId"].as_str()?.to_owned())
    });
    let answer = tools.post("cancelAction", json!({ "traceId": trace_id }));
    assert!(answer.contains("Action cancelled"), "{answer}");
    let ended = running.join().unwrap();
    assert!(ended.contains("Action was cancelled"), "{ended}");
}
