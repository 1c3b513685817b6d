//! Tests of requests: ids in flight, cancellation, limits, and responses with the right id.

use rmcp::model::RequestId;
use serde_json::{Value, json};

use super::{Machine, Step, call, cancelled, initialize, last_message, modern, request, text};
use crate::quota::{ClientKey, MAX_CLIENT_NAME};

#[tokio::test]
async fn function_that_returns_at_once_is_answered_at_once() {
    let machine = Machine::initialized();
    let answer = machine.answer(&call("a", "add"));
    assert_eq!((&answer["id"], text(&answer)), (&json!("a"), "42"));
    assert!(answer["result"].get("resultType").is_none(), "{answer}");
    let answer = machine.answer(&modern(call(1, "add"), "2026-07-28", json!({})));
    assert_eq!((text(&answer), &answer["result"]["resultType"]), ("42", &json!("complete")));
}

#[tokio::test]
async fn function_uses_the_share_of_its_client() {
    let server = Machine::new();
    let share_of = |id: &str| {
        let machine = server.for_client(ClientKey::Principal(id.to_owned()));
        let answer = machine.answer(&modern(call(1, "share"), "2026-07-28", json!({})));
        text(&answer).to_owned()
    };
    let (ada, eve) = (share_of("ada"), share_of("eve"));
    assert!(ada.starts_with("Some(") && ada != eve, "{ada} {eve}");
    assert_eq!(ada, share_of("ada"));
}

#[tokio::test]
async fn request_id_in_use_is_rejected_for_any_method() {
    let machine = Machine::initialized();
    let waits = machine.runs(&call(1, "wait"));
    for second in [
        call(1, "add"),
        call(1, "wait"),
        request(1, "ping", json!({})),
        request(1, "tools/list", json!({})),
        request(1, "no/such", json!({})),
        modern(call(1, "add"), "2026-07-28", json!({})),
    ] {
        let answer = machine.answer(&second);
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(1), &json!(-32600)),
            "{answer}"
        );
    }
    // An id of another type is a different id.
    assert_eq!(text(&machine.answer(&call("1", "add"))), "42");
    drop(waits);
    assert_eq!(text(&machine.answer(&call(1, "add"))), "42");
    assert_eq!(text(&machine.answer(&call(1, "add"))), "42");
}

#[tokio::test]
async fn cancelled_request_is_not_answered() {
    let machine = Machine::initialized();
    for tool in ["wait", "ask"] {
        let waits = machine.runs(&call(7, tool));
        machine.nothing(&cancelled("7"));
        assert!(machine.session.connection.is_running(&RequestId::Number(7)));
        machine.nothing(&cancelled(7));
        // The id can be reused immediately, and the end of the first request does not end the next
        // one.
        let next = machine.runs(&call(7, "wait"));
        assert_eq!(last_message(waits).await, None);
        assert!(machine.session.connection.is_running(&RequestId::Number(7)));
        drop(next);
    }
    machine.nothing(&cancelled("nobody"));
    machine.nothing(&super::notification("notifications/cancelled", json!({"requestId": [1]})));
    machine.nothing(&super::notification("notifications/cancelled", Value::Null));
}

#[tokio::test]
async fn number_out_of_range_is_answered_with_the_id_of_its_request() {
    let long = "9".repeat(400);
    for machine in [Machine::initialized(), Machine::new()] {
        for number in ["1e400", "-1e400", &format!("{long}.0")] {
            for params in [
                format!(r#"{{"name":"add","arguments":{{"a":{number}}}}}"#),
                format!(r#"{{"_meta":{{"x":{number}}},"name":"add"}}"#),
                format!(r#"{{"name":"add","arguments":[{number}]}}"#),
                number.to_string(),
            ] {
                let line = format!(
                    r#"{{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{params}}}"#
                );
                let Step::Answer(answer) = machine.step(&line) else { panic!("{line}") };
                assert_eq!(answer["id"], "n", "{line}: {answer}");
                assert_eq!(answer["error"]["code"], -32602, "{line}: {answer}");
            }
        }
    }
    // A number that cannot be parsed is harmless in a field that is not read.
    let machine = Machine::initialized();
    let line = r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":1e400},"y":1e400}"#;
    let Step::Answer(answer) = machine.step(line) else { panic!("no response") };
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
}

#[tokio::test]
async fn client_info_is_bounded() {
    let machine = Machine::new();
    let mut long = initialize(json!({ "elicitation": {} }));
    long["params"]["clientInfo"]["name"] = "ü".repeat(1000).into();
    machine.answer(&long);
    let client = machine.session.connection.client().unwrap();
    assert_eq!(client.info.as_ref().unwrap().name, "ü".repeat(MAX_CLIENT_NAME / 2));
    long["params"]["capabilities"]["x"] = "y".repeat(1 << 16).into();
    let answer = machine.answer(&long);
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("init"), &json!(-32600)));
}

#[tokio::test]
async fn progress_goes_out_under_a_short_token_only() {
    let machine = Machine::initialized();
    for (token, shown) in [(json!(1), true), (json!("t"), true), (json!("t".repeat(257)), false)] {
        let mut tell = call(1, "tell");
        tell["params"]["_meta"] = json!({ "progressToken": token });
        assert_eq!(text(&machine.answer(&tell)), "told");
        let messages = machine.take_messages();
        let progress = messages.iter().find(|it| it["method"] == "notifications/progress");
        assert_eq!(progress.map(|it| &it["params"]["progressToken"]), shown.then_some(&token));
        assert_eq!(messages.iter().filter(|it| it["method"] == "notifications/message").count(), 1);
    }
}

#[test]
fn non_object_params_are_invalid() {
    let machine = Machine::initialized();
    for params in [json!([]), json!(["t"]), json!(5), json!("t"), json!({"_meta": 1})] {
        for method in ["tools/call", "tools/list", "ping", "no/such/method"] {
            let answer = machine.answer(&request(1, method, params.clone()));
            let (code, message) = (&answer["error"]["code"], &answer["error"]["message"]);
            assert_eq!(code, -32602, "{method} {params}: {answer}");
            assert!(message.as_str().unwrap().contains("must be objects"), "{answer}");
        }
    }
    let unknown = machine.answer(&request(1, "no/such/method", json!({})));
    assert_eq!(
        unknown["error"],
        json!({"code": -32601, "message": "unknown method `no/such/method`"})
    );
}
