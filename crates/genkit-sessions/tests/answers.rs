//! Answers to questions are kept if the turn that they continue fails.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use genkit::message::{Role, ToolRequest};
use genkit::model::ModelResponse;
use genkit::sessions::Agent;
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Error, tool, tools};
use serde_json::json;

/// Pays.
#[tool(needs_approval)]
async fn pay() -> String {
    "paid".to_owned()
}

#[tokio::test]
async fn approved_call_is_kept_if_the_model_fails_afterwards() {
    let call = ToolRequest::new("pay", json!({})).with_id("c1");
    let script: [Scripted; 3] = [
        ModelResponse::from_tool_requests([call]).into(),
        Err(Error::not_found("gone")).into(),
        ModelResponse::from_text("It is paid.").into(),
    ];
    let model = ScriptedModel::new(script);
    let agent = Agent::builder("payer").model(model).tools(tools![pay]).build().unwrap();
    let session = agent.session("a");
    let asked = session.send("Pay.").await.unwrap();
    let answers: Vec<_> = asked.interrupts().iter().map(|it| it.approve()).collect();
    session.resume(answers.clone()).await.unwrap_err();
    // The call has run, so its question is not asked again.
    assert!(session.interrupts().await.unwrap().is_empty());
    session.resume(answers).await.unwrap_err();
    assert_eq!(session.retry_turn().await.unwrap().text(), "It is paid.");
    let messages = session.messages().await.unwrap();
    let roles: Vec<Role> = messages.iter().map(|it| it.role).collect();
    assert_eq!(roles, [Role::User, Role::Model, Role::Tool, Role::Model]);
}
