//! Tests of lazy tools and of the items of tool searches.

use serde_json::{Value, json};

use super::{at, body, decode, read, stream, user};
use genkit_core::{Message, Part, Role};
use genkit_model::internal::wire::WireFormat as _;

const MODEL: &str = "gpt-5.4";

fn lazy(name: &str) -> Value {
    json!({"name": name, "description": "Does it.", "lazy": true})
}

fn function(name: &str, is_deferred: bool) -> Value {
    let parameters =
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    let mut function = json!({
        "type": "function", "name": name, "description": "Does it.", "parameters": parameters, "strict": true,
    });
    if is_deferred {
        function["defer_loading"] = true.into();
    }
    function
}

fn namespace(name: &str, tools: &[&str]) -> Value {
    let functions: Vec<Value> = tools.iter().map(|tool| function(tool, true)).collect();
    json!({"type": "namespace", "name": name, "description": tools.join(", "), "tools": functions})
}

fn search() -> Value {
    json!({"type": "tool_search_call", "id": "tsc_1", "execution": "server", "call_id": null, "status": "completed",
        "arguments": {"paths": ["github"]}})
}

fn found(tools: Value) -> Value {
    json!({"type": "tool_search_output", "id": "tso_1", "execution": "server", "call_id": null,
        "status": "completed", "tools": tools})
}

fn call() -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "github__list",
        "namespace": "github", "arguments": "{}"})
}

/// Returns the conversation after a response with this output, with a response to its call.
fn conversation(output: &Value) -> Value {
    let tools = json!({"messages": [], "tools": [lazy("github/list")]});
    let answer = json!({"status": "completed", "output": output}).to_string();
    let answer = at("openai", MODEL).decode_response(&read(tools), answer.as_bytes()).unwrap();
    // Simulate a stored conversation.
    let message = serde_json::to_string(&answer.message.unwrap()).unwrap();
    let message: Message = serde_json::from_str(&message).unwrap();
    let answers = message.tool_requests().map(|call| Part::from(call.respond("none")));
    let answers = Message::new(Role::Tool, answers.collect::<Vec<_>>());
    json!([user(), message, answers])
}

#[test]
fn lazy_tools_are_deferred_in_namespaces_of_their_prefixes() {
    let now = json!({"name": "now", "description": "Does it."});
    let tools = [now, lazy("github/list"), lazy("weather"), lazy("github/close")];
    let sent = body(MODEL, json!({"messages": [user()], "tools": tools}));
    assert_eq!(
        sent["tools"],
        json!([
            function("now", false),
            namespace("github", &["github__list", "github__close"]),
            namespace("tools", &["weather"]),
            {"type": "tool_search"},
        ])
    );
}

#[test]
fn namespaces_have_at_most_ten_tools_and_unique_names() {
    let mut tools: Vec<Value> = (0..25).map(|n| lazy(&format!("a/tool_{n}"))).collect();
    tools.push(lazy("a_2/other"));
    let sent = body(MODEL, json!({"messages": [user()], "tools": tools}));
    let namespaces = sent["tools"].as_array().unwrap();
    let shown: Vec<(&str, usize)> = namespaces
        .iter()
        .filter(|tool| tool["type"] == "namespace")
        .map(|tool| (tool["name"].as_str().unwrap(), tool["tools"].as_array().unwrap().len()))
        .collect();
    assert_eq!(shown, [("a", 10), ("a_2", 10), ("a_3", 5), ("a_2_2", 1)]);
}

#[test]
fn namespaces_above_forty_are_merged() {
    let sent = |tools: Vec<Value>| -> Vec<(String, String, usize)> {
        let sent = body(MODEL, json!({"messages": [user()], "tools": tools}));
        let namespaces = sent["tools"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        namespaces
            .filter(|tool| tool["type"] == "namespace")
            .map(|it| {
                (text(&it["name"]), text(&it["description"]), it["tools"].as_array().unwrap().len())
            })
            .collect()
    };
    let count = |sent: &[(String, String, usize)]| sent.iter().map(|it| it.2).sum::<usize>();

    let forty = sent((0..40).map(|n| lazy(&format!("server_{n:02}/list"))).collect());
    assert_eq!((forty.len(), forty[39].0.as_str()), (40, "server_39"));

    // The tools of each server are not adjacent.
    let many = sent((0..300).map(|n| lazy(&format!("server_{:02}/tool_{n}", n % 100))).collect());
    assert_eq!((many.len(), count(&many)), (40, 300));
    assert_eq!((many[0].0.as_str(), many[1].0.as_str()), ("tools", "tools_2"));
    let about = "server_00, server_01, server_02: server_00__tool_0, server_00__tool_100, ";
    assert!(many[0].1.starts_with(about), "{}", many[0].1);
    assert!(many.iter().all(|it| it.1.chars().count() <= 151 && it.2 < 10), "{many:?}");

    let one = sent((0..1_000).map(|n| lazy(&format!("a/tool_{n}"))).collect());
    assert_eq!((one.len(), count(&one)), (40, 1_000));
    assert_eq!((one[0].0.as_str(), one[39].0.as_str()), ("a", "a_40"));
    assert!(one.iter().all(|it| it.2 <= 30));
}

#[test]
fn models_and_servers_without_a_search_receive_the_complete_tools() {
    let request = json!({"messages": [user()], "tools": [lazy("a")]});
    for model in ["gpt-5.2", "gpt-5.4-nano", "o3"] {
        assert_eq!(body(model, request.clone())["tools"], json!([function("a", false)]), "{model}");
    }
    let call = at("xai", MODEL).encode_request(&read(request), false).unwrap();
    let sent: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(
        (&sent["tools"][0]["name"], sent["tools"].as_array().unwrap().len()),
        (&json!("a"), 1)
    );
}

#[test]
fn search_tool_in_the_settings_is_the_only_one() {
    let own = json!({"type": "tool_search", "execution": "server"});
    let sent = body(
        MODEL,
        json!({"messages": [user()], "tools": [lazy("a")], "config": {"tools": [own]}}),
    );
    assert_eq!(sent["tools"], json!([namespace("tools", &["a"]), own]));
}

#[test]
fn items_of_a_search_are_sent_back_unchanged() {
    let output = json!([search(), found(json!([namespace("github", &["github__list"])])), call()]);
    let tools = [lazy("github/list"), lazy("github/close")];
    let sent = body(MODEL, json!({"messages": conversation(&output), "tools": tools}));
    let mut expected = output;
    // An item is sent with its id only if its reasoning item is sent with an id.
    expected[2].as_object_mut().unwrap().remove("id");
    assert_eq!(sent["input"].as_array().unwrap()[1..4], expected.as_array().unwrap()[..]);
    assert_eq!(sent["tools"][0], namespace("github", &["github__list", "github__close"]));
}

#[test]
fn stream_has_the_same_items_as_a_complete_response() {
    let output = json!([search(), found(json!([namespace("github", &["github__list"])])), call()]);
    let mut events: Vec<Value> = Vec::new();
    for (at, item) in output.as_array().unwrap().iter().enumerate() {
        events
            .push(json!({"type": "response.output_item.added", "output_index": at, "item": item}));
        events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    events.push(
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
    );
    let (streamed, _) = stream(&events).unwrap();
    let whole = decode(&json!({"status": "completed", "output": output})).unwrap();
    assert_eq!(streamed.message, whole.message);
}

#[test]
fn call_of_a_tool_that_no_search_found_is_sent_without_its_namespace() {
    // The result of the search is no longer in the history.
    let tools = [lazy("github/list"), lazy("github/close")];
    let sent = body(MODEL, json!({"messages": conversation(&json!([call()])), "tools": tools}));
    assert_eq!(sent["input"][1]["namespace"], Value::Null);
    assert_eq!(sent["tools"][0], function("github__list", false));
    assert_eq!(sent["tools"][1], namespace("github", &["github__close"]));

    // Without lazy tools, the request contains neither a search nor search results.
    let plain = json!([{"name": "github/list", "description": "Does it."}]);
    let output = json!([search(), found(json!([namespace("github", &["github__list"])])), call()]);
    for model in [MODEL, "gpt-5.2"] {
        let sent = body(model, json!({"messages": conversation(&output), "tools": plain}));
        let kinds: Vec<&Value> =
            sent["input"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
        assert_eq!(kinds, [&Value::Null, &json!("function_call"), &json!("function_call_output")]);
        assert_eq!(sent["input"][1]["namespace"], Value::Null);
        assert_eq!(sent["tools"], json!([function("github__list", false)]));
    }
}

#[test]
fn function_found_outside_of_a_namespace_has_one_with_its_name() {
    let mut called = call();
    called["namespace"] = "github__list".into();
    let output = json!([search(), found(json!([function("github__list", true)])), called]);
    let sent =
        body(MODEL, json!({"messages": conversation(&output), "tools": [lazy("github/list")]}));
    assert_eq!(sent["input"][3]["namespace"], "github__list");
}
