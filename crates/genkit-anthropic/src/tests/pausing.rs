use serde_json::json;

use super::{SONNET, decode};
use genkit_core::Message;
use genkit_core::ModelRequest;
use genkit_model::internal::wire::WireFormat as _;

#[test]
fn paused_answer_is_sent_back_unchanged() {
    let block =
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
    let paused = decode(json!({"content": [block], "stop_reason": "pause_turn"}));
    let request = ModelRequest::new([Message::user("Look it up.")]);
    let wire = super::wire(SONNET);
    let next = wire.continue_request(&request, &paused).unwrap();
    let call = wire.encode_request(&next, false).unwrap();
    let body: serde_json::Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(body["messages"][1], json!({"role": "assistant", "content": [block]}));
    let done = decode(json!({"content": [], "stop_reason": "end_turn"}));
    assert!(wire.continue_request(&request, &done).is_none());
}
