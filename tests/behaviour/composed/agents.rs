//! `Generate::into_tool`: an agent that another model, or an MCP client, calls.

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Context, GenerateResponse, Result, Tool, tool, tools};
use serde_json::{Value, json};

use super::eras;
use crate::serving;

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct City {
    name: String,
    people: u64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Who {
    name: String,
}

/// Deletes.
#[tool(needs_approval)]
async fn delete(id: u64) -> String {
    format!("{id} is gone")
}

/// Asks who it is.
#[tool]
async fn sign(ctx: &Context) -> Result<String> {
    let who: Who = ctx.elicit("Who signs?").await?.accepted()?;
    Ok(format!("signed by {}", who.name))
}

fn calls(name: &str, input: Value) -> ModelResponse {
    ModelResponse::from_tool_requests([ToolRequest::new(name, input)])
}

/// Returns an agent that deletes and signs, and its model.
fn clerk() -> (Tool, ScriptedModel) {
    let model = ScriptedModel::new([
        calls("delete", json!({"id": 7})),
        calls("sign", json!({})),
        ModelResponse::from_text("Deleted and signed."),
    ]);
    let clerk = genkit::generate(()).model(model.clone()).system("You are a clerk.");
    (clerk.tools(tools![delete, sign]).into_tool("clerk", "Does what clerks do."), model)
}

#[tokio::test]
async fn model_calls_agent_tool_with_a_task() {
    let small = ScriptedModel::texts(["Oslo has 700,000 people.", "Bergen has 290,000."]);
    let agent = genkit::generate("Be brief.").model(small.clone()).system("You look facts up.");
    let agent = agent.into_tool("researcher", "Looks facts up.");
    assert_eq!(agent.input_schema()["required"], json!(["task"]));
    let large = ScriptedModel::new([
        ModelResponse::from_tool_requests([
            ToolRequest::new("researcher", json!({"task": "How large is Oslo?"})),
            ToolRequest::new("researcher", json!({"task": "How large is Bergen?"})),
        ]),
        ModelResponse::from_text("Oslo is larger."),
    ]);
    let answer =
        genkit::generate("Which is larger?").model(large.clone()).tools([agent]).await.unwrap();
    assert_eq!(answer.text(), "Oslo is larger.");
    assert_eq!(large.tool_outputs("researcher").len(), 2);
    // Each call is a separate run.
    for request in small.requests() {
        assert_eq!(request.messages.len(), 2, "{request:?}");
        let asked = request.messages[1].text();
        assert!(asked.starts_with("Be brief.") && asked.contains("How large is"), "{asked}");
    }
}

#[tokio::test]
async fn agent_tool_with_an_output_type_returns_a_value() {
    let model = || ScriptedModel::text(r#"{"name": "Oslo", "people": 700000}"#);
    let agent =
        genkit::generate(()).model(model()).output::<City>().into_tool("city", "Knows cities.");
    for builder in eras() {
        let agent = match builder().connect(serving([agent.clone()])).await {
            Ok(client) => client,
            Err(error) => panic!("{error}"),
        };
        assert!(agent.tools().await.unwrap()[0].output_schema().is_some());
    }
    let client = eras()[0]().connect(serving([agent])).await.unwrap();
    let result = client.call_tool("city", json!({"task": "Oslo"})).await.unwrap();
    assert_eq!(result.structured().unwrap()["people"], 700_000, "{result:?}");
}

#[tokio::test]
async fn agent_model_error_is_a_tool_error() {
    let agent = genkit::generate(())
        .model(ScriptedModel::new(Vec::<ModelResponse>::new()))
        .into_tool("mute", "Says nothing.");
    let client = eras()[0]().connect(serving([agent])).await.unwrap();
    let result = client.call_tool("mute", json!({"task": "Speak."})).await.unwrap();
    assert!(result.is_error(), "{result:?}");
}

/// Questions of the agent's tools reach the client's user, each of them once.
#[tokio::test]
async fn questions_of_agent_tools_reach_the_client() {
    for builder in eras() {
        let (clerk, model) = clerk();
        let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let questions = std::sync::Arc::clone(&asked);
        let builder = builder().on_elicit(move |message, _| {
            questions.lock().unwrap().push(message.to_owned());
            Some(json!({"name": "Ada"}))
        });
        let client = builder.connect(serving([clerk])).await.unwrap();
        let result = client.call_tool("clerk", json!({"task": "Delete 7."})).await.unwrap();
        assert_eq!(result.text(), "Deleted and signed.", "{result:?}");
        assert_eq!(
            *asked.lock().unwrap(),
            ["Allow `delete` to run with {\"id\":7}?", "Who signs?"]
        );
        assert_eq!(model.requests().len(), 3, "no turn ran twice");
        assert_eq!(model.tool_outputs("sign"), ["signed by Ada"]);
    }
}

#[tokio::test]
async fn denial_is_returned_to_the_model() {
    for builder in eras() {
        let (clerk, model) = clerk();
        let mut answers = 0;
        let answers = std::sync::Mutex::new(move || {
            answers += 1;
            (answers > 1).then(|| json!({"name": "Ada"}))
        });
        let builder = builder().on_elicit(move |_, _| (answers.lock().unwrap())());
        let client = builder.connect(serving([clerk])).await.unwrap();
        let result = client.call_tool("clerk", json!({"task": "Delete 7."})).await.unwrap();
        assert_eq!(result.text(), "Deleted and signed.", "{result:?}");
        let told = model.tool_outputs("delete")[0].to_string();
        assert!(told.contains("not allowed"), "{told}");
    }
}

/// The outer run is interrupted, stored and resumed, without repeating the agent's turns.
#[tokio::test]
async fn outer_run_is_interrupted_and_resumes_in_another_process() {
    let (clerk, small) = clerk();
    let large = ScriptedModel::new([
        calls("clerk", json!({"task": "Delete 7."})),
        ModelResponse::from_text("All done."),
    ]);
    let run = genkit::generate("Delete 7.").model(large).tools([clerk]);
    let mut response = run.clone().await.unwrap();
    let mut asked = Vec::new();
    while response.is_interrupted() {
        let stored = serde_json::to_string(&response).unwrap();
        let back: GenerateResponse = serde_json::from_str(&stored).unwrap();
        response = run
            .clone()
            .resume(back, |question| {
                asked.push(question.message().unwrap().to_owned());
                match question.is_approval() {
                    true => question.approve(),
                    false => question.accept(json!({"name": "Ada"})),
                }
            })
            .await
            .unwrap();
    }
    assert_eq!(response.text(), "All done.");
    assert_eq!(asked, ["Allow `delete` to run with {\"id\":7}?", "Who signs?"]);
    assert_eq!(small.requests().len(), 3);
}
