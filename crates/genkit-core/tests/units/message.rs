use genkit_core::*;
use serde_json::Value;
use serde_json::json;

#[test]
fn parts_are_distinguished_by_their_key() {
    let message = Message::user("a")
        .with(Part::image("image/png", [1, 2]))
        .with(Part::resource_link("note://1"))
        .with(Part::data(json!({"n": 1})));
    let wire = serde_json::to_value(&message).expect("messages serialize");
    assert_eq!(
        wire,
        json!({"role": "user", "content": [
            {"text": "a"},
            {"media": {"url": "data:image/png;base64,AQI=", "contentType": "image/png"}},
            {"resource": {"uri": "note://1"}},
            {"data": {"n": 1}},
        ]})
    );
    assert_eq!(serde_json::from_value::<Message>(wire).expect("messages deserialize"), message);
}

#[test]
fn tool_calls_use_the_json_of_genkit() {
    let request = ToolRequest::new("add", json!({"a": 1})).with_id("7");
    let message = Message::model(Part::reasoning("hm").with_metadata("thoughtSignature", "x"))
        .with(request.respond(json!(0)))
        .with(request)
        .with(Part::custom(json!({"ran": 1}).as_object().cloned().unwrap()));
    let wire = serde_json::to_value(&message).expect("messages serialize");
    assert_eq!(
        wire,
        json!({"role": "model", "content": [
            {"reasoning": "hm", "metadata": {"thoughtSignature": "x"}},
            {"toolResponse": {"name": "add", "ref": "7", "output": 0}},
            {"toolRequest": {"name": "add", "ref": "7", "input": {"a": 1}}},
            {"custom": {"ran": 1}},
        ]})
    );
    assert_eq!(serde_json::from_value::<Message>(wire).expect("messages deserialize"), message);
}

#[test]
fn part_without_a_key_is_not_data() {
    assert_eq!(serde_json::from_value::<Part>(json!({})).unwrap(), Part::data(Value::Null));
}
