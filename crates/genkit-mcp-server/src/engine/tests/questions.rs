//! Tests of questions to a client while a function runs.

use serde_json::{Value, json};

use super::{Machine, call, cancelled, initialize, last_message, modern, request, text};

/// Returns the question that was sent, and its id.
fn question(machine: &Machine) -> (Value, Value) {
    let messages = machine.take_messages();
    let asked = messages.iter().find(|it| it["method"] == "elicitation/create");
    let asked = asked.unwrap_or_else(|| panic!("{messages:?}"));
    (asked["id"].clone(), asked["params"].clone())
}

fn accepted(id: &Value) -> Value {
    let result = json!({"action": "accept", "content": {"name": "Ada"}});
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

#[tokio::test]
async fn answer_goes_to_the_function_that_asked() {
    let machine = Machine::initialized();
    let calls = [machine.runs(&call(1, "ask")), machine.runs(&call(2, "ask"))];
    let messages = machine.take_messages();
    let ids: Vec<Value> = messages.iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids.len(), 2, "{messages:?}");
    assert_ne!(ids[0], ids[1]);
    assert_eq!(messages[0]["params"]["message"], "Who are you?");
    // In reverse order, twice, and with unknown ids.
    for id in [json!(99), json!("1"), json!(-1), ids[1].clone(), ids[1].clone(), ids[0].clone()] {
        machine.nothing(&accepted(&id));
    }
    for (place, call) in calls.into_iter().enumerate() {
        let answer = last_message(call).await.unwrap();
        assert_eq!(answer["id"], place + 1);
        assert!(text(&answer).contains("Ada"), "{answer}");
    }
}

#[tokio::test]
async fn rejection_or_invalid_answer_ends_the_question() {
    for (answer, expected) in [
        (json!({"error": {"code": -1, "message": "no time"}}), "no time"),
        (json!({"error": 5}), "invalid response"),
        (json!({"error": {"code": -1, "message": "m"}, "result": {}}), "invalid response"),
    ] {
        let machine = Machine::initialized();
        let asks = machine.runs(&call(1, "ask"));
        let mut message = answer;
        message["jsonrpc"] = "2.0".into();
        message["id"] = question(&machine).0;
        machine.nothing(&message);
        let answer = last_message(asks).await.unwrap();
        assert!(text(&answer).contains(expected), "{answer}");
    }
}

/// At the end of the input, every question fails.
#[tokio::test]
async fn pending_questions_fail_at_the_end_of_input() {
    let machine = Machine::initialized();
    let asks = machine.runs(&call(1, "ask"));
    machine.session.connection.end_questions();
    assert!(text(&last_message(asks).await.unwrap()).contains("the client has disconnected"));
    let late = machine.answer(&call(2, "ask"));
    assert!(text(&late).contains("the client has disconnected"), "{late}");
    assert_eq!(text(&machine.answer(&call(3, "add"))), "42");
}

#[tokio::test]
async fn cancelled_function_takes_its_question_with_it() {
    let machine = Machine::initialized();
    let asks = machine.runs(&call(1, "ask"));
    let (id, _) = question(&machine);
    machine.nothing(&cancelled(1));
    assert_eq!(last_message(asks).await, None);
    machine.nothing(&accepted(&id));
}

/// A missing capability has its own error code in both eras, and a tool call reports it as an error result.
#[tokio::test]
async fn missing_capability_is_not_an_internal_error() {
    let machine = Machine::new();
    machine.answer(&initialize(json!({})));
    let prompt = request(1, "prompts/get", json!({"name": "asks"}));
    for request in [prompt.clone(), modern(prompt, "2026-07-28", json!({}))] {
        let error = &machine.answer(&request)["error"];
        assert_eq!(error["code"], -32021, "{error}");
        assert!(error["data"]["requiredCapabilities"]["elicitation"].is_object(), "{error}");
    }
    let tool = machine.answer(&call(2, "ask"));
    assert_eq!(tool["result"]["isError"], true, "{tool}");
}

#[tokio::test]
async fn question_of_2026_is_a_result() {
    let machine = Machine::new();
    let asks = modern(call(1, "ask"), "2026-07-28", json!({ "elicitation": {} }));
    let answer = machine.answer(&asks);
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    assert!(machine.take_messages().is_empty());
}
