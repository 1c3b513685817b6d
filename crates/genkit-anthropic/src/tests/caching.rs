use std::time::Duration;

use serde_json::{Value, json};

use super::SONNET;
use genkit_core::{Message, Part, Role};
use genkit_core::{ModelRequest, ToolDefinition};
use genkit_model::internal::wire::WireFormat as _;

fn sent(request: &ModelRequest) -> Value {
    serde_json::from_slice(&super::wire(SONNET).encode_request(request, false).unwrap().body)
        .unwrap()
}

fn marks(value: &Value) -> Vec<bool> {
    let blocks = value.as_array().into_iter().flatten();
    blocks.map(|block| block.get("cache_control").is_some()).collect()
}

#[test]
fn cache_marker_is_sent_on_its_part() {
    let hour = Duration::from_secs(3600);
    let request = ModelRequest::new([
        Message::system("a").with(Part::text("b").with_cache_for(hour)),
        Message::user("c").with(Part::text("d")).with_cache(),
        Message::new(
            Role::Model,
            [
                Part::text("e"),
                Part::reasoning("t").with_metadata("thoughtSignature", "s").with_cache(),
            ],
        )
        .with_cache(),
    ])
    .with_tools([ToolDefinition::new("t", "").with_cache(), ToolDefinition::new("u", "")]);
    let sent = sent(&request);
    assert_eq!(sent["system"][1]["cache_control"], json!({"type": "ephemeral", "ttl": "1h"}));
    assert_eq!(marks(&sent["system"]), [false, true]);
    assert_eq!(marks(&sent["tools"]), [true, false]);
    assert_eq!(marks(&sent["messages"][0]["content"]), [false, true]);
    // A thought cannot have a breakpoint, so the breakpoint of the message is set on the block before it.
    assert_eq!(marks(&sent["messages"][1]["content"]), [true, false]);
    assert_eq!(sent["tools"][0]["cache_control"], json!({"type": "ephemeral"}));
}

#[test]
fn excess_cache_markers_are_dropped_from_the_oldest_messages() {
    let turns = (0..6).map(|n| Message::user(format!("{n}")).with_cache());
    let system = Message::system("s").with_cache();
    let mut request = ModelRequest::new(std::iter::once(system).chain(turns));
    let all = marks(&sent(&request)["messages"][0]["content"]);
    assert_eq!(all, [false, false, false, true, true, true]);
    assert_eq!(marks(&sent(&request)["system"]), [true]);
    // The breakpoint that the API sets automatically also counts.
    request.config.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    let body = sent(&request);
    assert_eq!(marks(&body["messages"][0]["content"]), [false, false, false, false, true, true]);
    assert_eq!(body["cache_control"]["type"], "ephemeral");
}
