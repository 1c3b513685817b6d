//! The options of the macros, as seen by clients and models: declared results, time limits.

use std::time::Duration;

use genkit::action::ResourceContents;
use genkit::testing::{Client, ScriptedModel};
use genkit::{
    ErrorKind, Genkit, Part, Prompt, Registry, Resource, ToolReply, actions, prompt, resource,
    tool, tools,
};
use serde_json::{Value, json};

use crate::serving;

#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is read")]
struct Weather {
    celsius: f64,
}

fn any_list() -> Value {
    json!({"type": "array", "items": {"type": "integer"}})
}

/// Its result is declared by a type.
#[tool(output_schema = Weather)]
async fn by_type(celsius: Value) -> Value {
    json!({ "celsius": celsius })
}

/// Its result is declared by JSON, in place of the schema of the returned type.
#[tool(output_schema = { "type": "object", "required": ["a"] })]
async fn by_json(key: String) -> ToolReply<std::collections::BTreeMap<String, u8>> {
    ToolReply::new([(key, 1)].into()).with_text("beside")
}

/// Its result is declared by a call.
#[tool(output_schema = any_list())]
async fn by_call(value: Value) -> Value {
    value
}

#[tokio::test]
async fn declared_schema_is_shown_in_place_of_that_of_the_returned_type() {
    let client = Client::connect(serving(tools![by_type, by_json, by_call])).await.unwrap();
    let listed = client.tools().await.unwrap();
    let schema = |name: &str| {
        let tool = listed.iter().find(|tool| tool.name() == name).unwrap();
        Value::Object(tool.output_schema().unwrap().clone())
    };
    assert_eq!(schema("by_type")["properties"]["celsius"]["type"], "number");
    assert_eq!(schema("by_json"), json!({"type": "object", "required": ["a"]}));
    // Clients of that era support only objects, so the list is wrapped, like every result that is not an object.
    assert_eq!(schema("by_call")["properties"]["result"]["items"]["type"], "integer");
    assert_eq!(genkit::Tool::of::<by_call>().output_schema(), Some(&any_list()));
}

#[tokio::test]
async fn result_is_checked_against_its_declared_schema() {
    let client = Client::connect(serving(tools![by_type, by_json, by_call])).await.unwrap();
    for (name, fits, misfits) in [
        ("by_type", json!({"celsius": 21.5}), json!({"celsius": "warm"})),
        ("by_json", json!({"key": "a"}), json!({"key": "b"})),
        ("by_call", json!({"value": [1]}), json!({"value": ["one"]})),
    ] {
        let answer = client.call_tool(name, fits).await.unwrap();
        assert!(!answer.is_error() && answer.structured().is_some(), "{name}: {}", answer.text());
        let answer = client.call_tool(name, misfits).await.unwrap();
        assert!(answer.is_error(), "{name}: {}", answer.text());
        assert!(answer.text().contains("does not match"), "{name}: {}", answer.text());
    }
}

/// Never ends.
#[prompt(timeout = "10ms")]
async fn slow_prompt() -> String {
    std::future::pending().await
}

/// Never ends.
#[resource("slow://resource", timeout = "10ms")]
async fn slow_resource() -> String {
    std::future::pending().await
}

/// The time limits of both are far below that of the server, so a client does not wait for the latter.
#[tokio::test(start_paused = true)]
async fn prompts_and_resources_have_their_own_timeouts() {
    let limit = Duration::from_millis(10);
    assert_eq!(Prompt::of::<slow_prompt>().timeout(), Some(limit));
    assert_eq!(Resource::of::<slow_resource>().timeout(), Some(limit));

    let client = Client::connect(serving(actions![slow_prompt, slow_resource])).await.unwrap();
    let error = client.get_prompt("slow_prompt", json!({})).await.unwrap_err().to_string();
    assert!(error.contains("did not finish within 10ms"), "{error}");
    let error = client.read_resource("slow://resource").await.unwrap_err().to_string();
    assert!(error.contains("did not finish within 10ms"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn resource_in_a_request_has_its_own_time_limit() {
    let made = Resource::builder("made://resource", "made", "Never ends.")
        .timeout(Duration::from_millis(20))
        .handler(|_: genkit::Context, _: Value| async {
            Ok(std::future::pending::<ResourceContents>().await)
        });
    let registry = Registry::new().add(actions![slow_resource]).add(made);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    for (uri, limit) in [("slow://resource", "10ms"), ("made://resource", "20ms")] {
        let asked = genkit.generate(Part::resource_link(uri)).model(ScriptedModel::text("x"));
        let error = asked.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
        assert!(error.chain().contains(&format!("within {limit}")), "{}", error.chain());
    }
}

#[test]
fn program_takes_actions_of_several_kinds() {
    let genkit = Genkit::builder()
        .registry(Registry::new())
        .actions(actions![by_type, slow_prompt, slow_resource])
        .build();
    assert!(genkit.is_ok());
}
