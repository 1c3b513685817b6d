//! Tools that use the run's own model.

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Context, Message, Result, tool, tools};
use serde_json::json;

/// Translates.
#[tool]
async fn translate(ctx: &Context, text: String) -> Result<String> {
    let said =
        ctx.sample(text).system("Translate.").max_tokens(9).temperature(0.0).stop("!").await?;
    Ok(format!("{} by {}", said.text(), said.model().unwrap_or("nobody")))
}

/// Asks for folders.
#[tool]
async fn folders(ctx: &Context) -> Result<usize> {
    Ok(ctx.roots().await?.len())
}

#[tokio::test]
async fn sample_is_answered_by_the_model_of_the_run() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new(
            "translate",
            json!({"text": "hello"}),
        )]),
        ModelResponse::from_text("bonjour"),
        ModelResponse::from_text("done"),
    ]);
    let response =
        genkit::generate("go").model(model.clone()).tools(tools![translate]).await.unwrap();
    assert_eq!(super::outputs(&response), ["bonjour by scripted"]);
    let asked = model.requests().remove(1);
    assert_eq!(asked.messages, [Message::system("Translate."), Message::user("hello")]);
    assert_eq!(
        json!(asked.config),
        json!({"maxOutputTokens": 9, "temperature": 0.0, "stopSequences": ["!"]})
    );
}

#[tokio::test]
async fn run_has_no_folders() {
    let model = super::calls([("folders", json!({}))]);
    let response = genkit::generate("go").model(model).tools(tools![folders]).await.unwrap();
    let said = super::outputs(&response)[0]["error"].as_str().unwrap().to_owned();
    assert!(said.contains("`roots` capability"), "{said}");
}
