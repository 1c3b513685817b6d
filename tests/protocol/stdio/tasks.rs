//! Tasks over stdio.

use serde_json::{Value, json};

use crate::pipe::Pipe;

/// Parameters of a client that supports tasks.
fn with_meta(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":
            {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    params
}

fn ask(pipe: &mut Pipe, method: &str, params: Value) -> Value {
    pipe.request(method, &with_meta(params))
}

fn begin(pipe: &mut Pipe, tool: &str, arguments: &Value) -> String {
    let created = ask(pipe, "tools/call", json!({"name": tool, "arguments": arguments}));
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    created["result"]["taskId"].as_str().expect("an id").to_owned()
}

fn until(pipe: &mut Pipe, id: &str, status: &str) -> Value {
    for _ in 0..1000 {
        let got = ask(pipe, "tasks/get", json!({"taskId": id}));
        if got["result"]["status"] == status {
            return got["result"].clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the task did not reach the status {status}")
}

#[test]
fn task_is_asked_for_answered_and_cancelled_over_a_pipe() {
    let mut pipe = Pipe::start("conformance", &[]);
    let discovered = ask(&mut pipe, "server/discover", json!({}));
    let extensions = &discovered["result"]["capabilities"]["extensions"];
    assert!(extensions["io.modelcontextprotocol/tasks"].is_object(), "{discovered}");
    let id = begin(&mut pipe, "confirm_delete", &json!({"filename": "a.txt"}));
    let asked = until(&mut pipe, &id, "input_required");
    let key = asked["inputRequests"].as_object().expect("questions").keys().next().expect("one");
    let answers = json!({key: {"action": "accept", "content": {"confirm": true}}});
    ask(&mut pipe, "tasks/update", json!({"taskId": id, "inputResponses": answers}));
    let ended = until(&mut pipe, &id, "completed");
    assert_eq!(ended["result"]["content"][0]["text"], "deleted a.txt");
    let id = begin(&mut pipe, "slow_compute", &json!({"seconds": 600}));
    ask(&mut pipe, "tasks/cancel", json!({"taskId": id}));
    until(&mut pipe, &id, "cancelled");
    let unknown = ask(&mut pipe, "tasks/get", json!({"taskId": "1"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}
