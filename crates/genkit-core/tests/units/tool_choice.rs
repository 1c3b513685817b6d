use genkit_core::{ModelRequest, ToolChoice};
use serde_json::json;

#[test]
fn named_tool_is_serialized_as_required_with_its_name() {
    for (choice, written) in [
        (None, json!({})),
        (Some(ToolChoice::Auto), json!({"toolChoice": "auto"})),
        (Some(ToolChoice::Required), json!({"toolChoice": "required"})),
        (Some(ToolChoice::None), json!({"toolChoice": "none"})),
        (Some(ToolChoice::tool("a/b")), json!({"toolChoice": "required", "toolChoiceName": "a/b"})),
    ] {
        let mut request = ModelRequest::default();
        request.tool_choice.clone_from(&choice);
        let json = serde_json::to_value(&request).expect("requests serialize");
        for key in ["toolChoice", "toolChoiceName"] {
            assert_eq!(json.get(key), written.get(key), "{choice:?}");
        }
        assert_eq!(serde_json::from_value::<ModelRequest>(json).expect("parses"), request);
    }
    let unknown = json!({"messages": [], "toolChoice": "any"});
    let error = serde_json::from_value::<ModelRequest>(unknown).expect_err("unknown");
    assert!(error.to_string().contains("unknown variant `any`"), "{error}");
}
