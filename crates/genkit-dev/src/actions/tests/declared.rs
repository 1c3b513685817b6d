//! Tests that declared tools are listed with both schemas, and receive their results through the
//! loop.

use serde_json::{Value, json};

use super::{ActionsByKey, run_action};
use genkit::{actions, tool};
use genkit_agent::Instance;
use genkit_core::{ModelResponse, Registry, ToolRequest};
use genkit_model::ScriptedModel;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Cart {
    items: u32,
}

/// Shows the cart in the browser.
#[tool]
async fn update_cart(#[schemars(range(max = 9))] items: u32) -> Cart;

/// Returns a model that calls the tool once.
fn calling() -> ScriptedModel {
    let call = ToolRequest::new("update_cart", json!({"items": 2}));
    ScriptedModel::new([
        ModelResponse::from_tool_requests([call]),
        ModelResponse::from_text("Two are in the cart."),
    ])
}

fn page(model: ScriptedModel) -> ActionsByKey {
    let registry = Registry::new().add(actions![update_cart]);
    let actions = ActionsByKey::default();
    actions.add(&Instance::builder().registry(registry).default_model(model).build().unwrap());
    actions
}

/// Returns an input of `/util/generate`.
fn options(messages: Value) -> Value {
    json!({"model": "/model/scripted", "tools": ["/tool/update_cart"], "messages": messages})
}

fn user() -> Value {
    json!({"role": "user", "content": [{"text": "Two, please."}]})
}

#[test]
fn declared_tool_is_listed_with_both_schemas() {
    let listed = page(calling()).list_actions();
    for key in ["/tool/update_cart", "/tool.v2/update_cart"] {
        assert_eq!(listed[key]["description"], "Shows the cart in the browser.", "{key}");
        assert_eq!(listed[key]["inputSchema"]["properties"]["items"]["maximum"], 9, "{key}");
    }
    let output = &listed["/tool/update_cart"]["outputSchema"];
    assert_eq!(output["properties"]["items"]["type"], "integer", "{output}");
}

#[tokio::test]
async fn declared_tool_that_is_run_alone_is_an_interrupt_error() {
    let actions = page(calling());
    let request = json!({"key": "/tool/update_cart", "input": {"items": 2}});
    let (_, end) = run_action(&actions, request, false).await;
    assert_eq!(end["error"]["code"], 9, "{end}");
    assert!(end["error"]["message"].as_str().unwrap().contains("/util/generate"), "{end}");
    assert_eq!(end["error"]["details"]["interrupt"], true, "{end}");

    let request = json!({"key": "/tool/update_cart", "input": {"items": 10}});
    let (_, end) = run_action(&actions, request, false).await;
    assert_eq!(end["error"]["code"], 3, "{end}");
}

/// Runs the loop until the tool is called, and returns the messages and the call.
async fn run_to_interrupt(actions: &ActionsByKey) -> (Value, Value) {
    let request = json!({"key": "/util/generate", "input": options(json!([user()]))});
    let (_, end) = run_action(actions, request, false).await;
    assert_eq!(end["result"]["finishReason"], "interrupted", "{end}");
    let message = end["result"]["message"].clone();
    let call = message["content"][0].clone();
    assert_eq!(call["toolRequest"]["input"], json!({"items": 2}), "{end}");
    assert_eq!(call["metadata"]["interrupt"], true, "{end}");
    (json!([user(), message]), call)
}

/// Returns the request that continues the loop with a response to `call`.
fn respond(messages: Value, call: &Value, output: Value) -> Value {
    let mut response = call["toolRequest"].clone();
    response.as_object_mut().unwrap().remove("input");
    response["output"] = output;
    let mut input = options(messages);
    input["resume"] = json!({"respond": [
        {"toolResponse": response, "metadata": {"interruptResponse": true}},
    ]});
    json!({"key": "/util/generate", "input": input})
}

#[tokio::test]
async fn call_in_the_loop_is_an_interrupt_that_continues_with_the_response() {
    let model = calling();
    let actions = page(model.clone());
    let (messages, call) = run_to_interrupt(&actions).await;
    let (_, end) =
        run_action(&actions, respond(messages.clone(), &call, json!({"items": "two"})), false)
            .await;
    assert_eq!(end["error"]["code"], 3, "{end}");
    assert!(end["error"]["message"].as_str().unwrap().contains("items"), "{end}");

    let (_, end) = run_action(&actions, respond(messages, &call, json!({"items": 2})), false).await;
    assert_eq!(end["result"]["message"]["content"][0]["text"], "Two are in the cart.", "{end}");
    assert_eq!(model.tool_outputs("update_cart"), [json!({"items": 2})]);
}

#[tokio::test]
async fn prompt_file_with_a_declared_tool_is_listed_and_runs_in_the_loop() {
    let folder = std::env::temp_dir().join(format!("genkit-declared-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = "---\nmodel: scripted\ntools: [update_cart]\n---\nTwo, please.";
    std::fs::write(folder.join("shop.prompt"), file).unwrap();
    let registry = Registry::new().add(actions![update_cart]);
    let genkit = Instance::builder().registry(registry).default_model(calling());
    let genkit = genkit.prompts_dir(&folder).build();
    std::fs::remove_dir_all(&folder).unwrap();
    let actions = ActionsByKey::default();
    actions.add(&genkit.unwrap());
    let shown = &actions.list_actions()["/prompt/shop"]["metadata"]["prompt"];
    assert_eq!(shown["tools"], json!(["update_cart"]), "{shown}");
    let (_, end) = run_action(&actions, json!({"key": "/executable-prompt/shop"}), false).await;
    let input = end["result"].clone();
    assert_eq!(input["tools"], json!(["update_cart"]), "{end}");
    let (_, end) =
        run_action(&actions, json!({"key": "/util/generate", "input": input}), false).await;
    assert_eq!(end["result"]["finishReason"], "interrupted", "{end}");
}
