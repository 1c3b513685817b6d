//! Tools without code: their results come from the caller of `generate`.

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::{Client, ScriptedModel};
use genkit::{ErrorKind, Genkit, Interrupt, Registry, Tool, actions, tool, tools};
use serde::Serialize;
use serde_json::json;

use super::interrupts::go_on;
use super::{calls, outputs};
use crate::prompts::folder::Folder;

#[derive(Serialize, schemars::JsonSchema)]
struct Cart {
    items: u32,
}

/// Shows the cart in the browser.
#[tool]
async fn update_cart(#[schemars(range(max = 9))] items: u32) -> Cart;

/// Empties the cart in the browser.
#[tool(needs_approval)]
async fn empty_cart(#[arg(default = true)] softly: bool) -> Cart;

#[test]
fn declaration_has_both_schemas() {
    let tool = Tool::of::<update_cart>();
    assert!(tool.is_declared());
    assert_eq!(tool.description(), "Shows the cart in the browser.");
    assert_eq!(tool.input_schema()["properties"]["items"]["maximum"], 9);
    assert_eq!(tool.output_schema().unwrap()["required"], json!(["items"]));
    assert!(Tool::builder("ask", "Asks.").interrupts().is_declared());
}

#[tokio::test]
async fn call_is_answered_with_a_value_of_the_return_type() {
    let model = calls([("update_cart", json!({"items": 2}))]);
    let tools = tools![update_cart];
    let asked = genkit::generate("go").model(model.clone()).tools(&tools).await.unwrap();
    let [question] = &asked.interrupts()[..] else { panic!("one question") };
    assert!(!question.is_approval());
    assert_eq!(question.tool_request().input, json!({"items": 2}));
    let answer = question.respond_as::<update_cart>(Cart { items: 2 });
    let done = go_on(asked.clone(), vec![answer], &model, &tools).await.unwrap();
    assert_eq!(outputs(&done), [json!({"items": 2})]);

    let wrong = asked.interrupts()[0].respond(json!({"items": "two"}));
    let error = go_on(asked, vec![wrong], &ScriptedModel::text("done"), &tools).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(error.to_string().contains("items"), "{error}");
}

#[tokio::test]
async fn approval_or_the_answer_of_another_tool_does_not_answer_a_declared_tool() {
    let model = calls([("update_cart", json!({"items": 2}))]);
    let tools = tools![update_cart];
    let asked = genkit::generate("go").model(model.clone()).tools(&tools).await.unwrap();
    let question = asked.interrupts().remove(0);
    let other = question.respond_as::<empty_cart>(Cart { items: 0 });
    for (answer, named) in [
        (question.approve(), "respond_as::<update_cart>"),
        (question.accept(json!({"items": 2})), "respond_as::<update_cart>"),
        (other, "`respond_as::<empty_cart>` responds on behalf of `empty_cart`"),
    ] {
        let error = go_on(asked.clone(), vec![answer], &model, &tools).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains(named), "{error}");
    }
    let done = go_on(asked, vec![question.decline()], &model, &tools).await.unwrap();
    assert!(done.interrupts().is_empty(), "{done:?}");
}

#[tokio::test]
async fn wrong_arguments_return_to_the_model() {
    let model = calls([("update_cart", json!({"items": 10}))]);
    let done =
        genkit::generate("go").model(model.clone()).tools(tools![update_cart]).await.unwrap();
    assert!(done.interrupts().is_empty());
    let error = model.tool_outputs("update_cart").remove(0);
    assert!(error["error"].as_str().unwrap().contains("maximum of 9"), "{error}");
}

#[tokio::test]
async fn approval_comes_before_the_call() {
    for tool in [
        Tool::of::<empty_cart>(),
        Tool::builder("empty_cart", "Empties.").needs_approval(true).output::<Cart>().interrupts(),
    ] {
        let model = calls([("empty_cart", json!({}))]);
        let tools = [tool];
        let asked = genkit::generate("go").model(model.clone()).tools(&tools).await.unwrap();
        assert!(asked.interrupts()[0].is_approval());
        let approved = asked.interrupts()[0].approve();
        let shown = go_on(asked, vec![approved], &model, &tools).await.unwrap();
        let [question] = &shown.interrupts()[..] else { panic!("the call itself: {shown:?}") };
        assert!(!question.is_approval());
        let answer = question.respond_as::<empty_cart>(Cart { items: 0 });
        let done = go_on(shown, vec![answer], &model, &tools).await.unwrap();
        assert_eq!(outputs(&done), [json!({"items": 0})]);

        let model = calls([("empty_cart", json!({}))]);
        let asked = genkit::generate("go").model(model.clone()).tools(&tools).await.unwrap();
        let declined = asked.interrupts()[0].decline_with("not yet");
        let done = go_on(asked, vec![declined], &model, &tools).await.unwrap();
        assert_eq!(outputs(&done), [json!({"error": "the user did not approve: not yet"})]);
    }
}

#[tokio::test]
async fn prompt_files_name_declared_tools() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("update_cart", json!({"items": 1}))]),
        ModelResponse::from_text("done"),
    ]);
    let folder = Folder::new([("shop.prompt", "---\ntools: [update_cart]\n---\nBuy one.")]);
    let genkit = Genkit::builder()
        .registry(Registry::new().add(actions![update_cart]))
        .prompts_dir(folder.path())
        .build()
        .unwrap();
    let asked = genkit.prompt("shop").model(model.clone()).await.unwrap();
    let response =
        genkit.resume(asked, |q: &Interrupt| q.respond_as::<update_cart>(Cart { items: 1 }));
    assert_eq!(response.model(model).await.unwrap().text(), "done");
}

#[tokio::test]
async fn mcp_clients_are_not_offered_declared_tools() {
    let kept =
        Tool::builder("now", "The time.").handler(|_: genkit::Context, (): ()| async { Ok(1) });
    let registry = Registry::new().add(actions![update_cart]).add([kept]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = Client::connect(genkit.serve_mcp()).await.unwrap();
    let names: Vec<_> =
        client.tools().await.unwrap().into_iter().map(|it| it.name().to_owned()).collect();
    assert_eq!(names, ["now"]);
    let error = client.call_tool("update_cart", json!({"items": 1})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}
