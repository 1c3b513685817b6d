//! Tests that the items of a response are sent back unchanged in the next request.

use serde_json::{Value, json};

use super::{at, decode, user};
use genkit_core::{Message, Part, Role};
use genkit_core::{ModelRequest, ToolDefinition};
use genkit_model::internal::wire::WireFormat as _;

/// Returns the `input` of the next request: the model responded with `output`, and each of its calls got a result.
fn after(output: &Value, stored: bool) -> Value {
    let answer = decode(&json!({"status": "completed", "output": output})).unwrap();
    // Simulate a stored conversation.
    let message = serde_json::to_string(&answer.message.unwrap()).unwrap();
    let message: Message = serde_json::from_str(&message).unwrap();
    let answers = message.tool_requests().map(|call| Part::from(call.respond("ok")));
    let answers = Message::new(Role::Tool, answers.collect::<Vec<_>>());
    let asked = serde_json::from_value(user()).unwrap();
    let request = ModelRequest::new([asked, message, answers])
        .with_tools([ToolDefinition::new("a", "")])
        .with_config("store", stored);
    let call = at("openai", "o3").encode_request(&request, false).unwrap();
    let sent: Value = serde_json::from_slice(&call.body).unwrap();
    sent["input"].clone()
}

fn call() -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "a", "arguments": "{\"x\":1}"})
}

fn text() -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
        "content": [{"type": "output_text", "text": "So.", "annotations": []}]})
}

fn answer() -> Value {
    json!({"type": "function_call_output", "call_id": "call_1", "output": "ok"})
}

#[test]
fn encrypted_reasoning_goes_back_with_what_follows_it() {
    for summary in [json!([]), json!(["One."]), json!(["One.", "", "Two."])] {
        let summary: Vec<Value> = summary
            .as_array()
            .unwrap()
            .iter()
            .map(|text| json!({"type": "summary_text", "text": text}))
            .collect();
        let thought = json!({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "e=="});
        let output = json!([thought, text(), {"type": "web_search_call", "id": "ws_1", "status": "completed"}, call()]);
        let input = after(&output, false);
        assert_eq!(input.as_array().unwrap()[1..5], output.as_array().unwrap()[..]);
        assert_eq!(input[5], answer());
    }
}

#[test]
fn unreadable_reasoning_and_item_ids_are_dropped_unless_stored() {
    let bare = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let output = json!([bare, text(), call()]);
    let input = after(&output, false);
    let plain = json!({"role": "assistant", "content": "So.", "phase": "commentary"});
    let mut call = call();
    call.as_object_mut().unwrap().remove("id");
    assert_eq!(input.as_array().unwrap()[1..], [plain, call, answer()]);
    let input = after(&output, true);
    assert_eq!(input.as_array().unwrap()[1..4], output.as_array().unwrap()[..]);
}

#[test]
fn thoughts_of_open_models_go_back_as_thoughts() {
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [],
        "content": [{"type": "reasoning_text", "text": "Hm."}]});
    let output = json!([thought, call()]);
    assert_eq!(after(&output, false).as_array().unwrap()[1..3], output.as_array().unwrap()[..]);
}

#[test]
fn id_that_is_too_long_is_left_out_everywhere() {
    let thought =
        json!({"type": "reasoning", "id": "r".repeat(65), "summary": [], "encrypted_content": "e"});
    let input = after(&json!([thought, call()]), false);
    assert_eq!((&input[1]["id"], &input[2]["id"]), (&Value::Null, &Value::Null));
    assert_eq!(input[1]["encrypted_content"], "e");
}
