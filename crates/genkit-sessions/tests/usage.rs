//! The usage of sub-agents counts toward the agent that calls them.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use genkit::durable::FolderStore;
use genkit::generate::{Generate, UsageLimit};
use genkit::message::ToolRequest;
use genkit::model::{ModelResponse, Usage};
use genkit::sessions::Agent;
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{ErrorKind, tool, tools};
use serde_json::json;

fn with_usage(response: ModelResponse, input: u64) -> Scripted {
    response.with_usage(Usage::default().with_input_tokens(input).with_output_tokens(1)).into()
}

fn call(name: &str, input: u64) -> Scripted {
    let arguments = if name == "pay" { json!({}) } else { json!({"task": "Count."}) };
    let request = ToolRequest::new(name, arguments);
    with_usage(ModelResponse::from_tool_requests([request]), input)
}

fn text(input: u64) -> Scripted {
    with_usage(ModelResponse::from_text("ok"), input)
}

/// Three agents, each of which is a tool of the previous one. The first uses 1 and 2 tokens, the second 10 and 20, the
/// third 100.
fn chain(limit: UsageLimit, third_limit: UsageLimit) -> (Generate, ScriptedModel) {
    let model = ScriptedModel::new([text(100)]);
    let third = genkit::generate(()).model(model.clone()).usage_limit(third_limit);
    let third = third.into_tool("third", "Counts.");
    let second = ScriptedModel::new([call("third", 10), text(20)]);
    let second = genkit::generate(()).model(second).tools([third]).into_tool("second", "Counts.");
    let first = ScriptedModel::new([call("second", 1), text(2)]);
    (genkit::generate(()).model(first).tools([second]).usage_limit(limit), model)
}

#[tokio::test]
async fn usage_of_agents_as_tools_adds_up_at_each_level() {
    let (run, _) = chain(UsageLimit::new(), UsageLimit::new());
    let usage = run.prompt("Count.").await.unwrap().usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(133), Some(5)));
}

#[tokio::test]
async fn limit_of_the_first_agent_ends_the_third() {
    let none = UsageLimit::new();
    for (limit, calls) in [(none.requests(2), 0), (none.tokens(50), 1), (none.input_tokens(12), 1)]
    {
        let (run, model) = chain(limit, none);
        let error = run.prompt("Count.").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResourceExhausted, "{}", error.chain());
        assert_eq!(model.requests().len(), calls, "{limit:?}");
    }
    // The limit of a sub-agent applies in addition, and ends the caller as well.
    let (run, _) = chain(none, none.tokens(50));
    let error = run.prompt("Count.").await.unwrap_err();
    assert_eq!(error.partial().unwrap().usage.input_tokens, Some(111));
}

/// Pays.
#[tool(needs_approval)]
async fn pay() -> String {
    "paid".to_owned()
}

#[tokio::test]
async fn usage_before_a_question_counts_once() {
    let folder = std::env::temp_dir().join(format!("genkit-usage-{}", std::process::id()));
    for is_stored in [false, true] {
        let model = ScriptedModel::new([call("pay", 10), text(20)]);
        let limited = genkit::generate(()).usage_limit(UsageLimit::new().tokens(1_000));
        let payer = Agent::builder("payer").generate(limited).model(model).tools(tools![pay]);
        let payer = payer.build().unwrap();
        let model = ScriptedModel::new([call("payer", 1), text(2)]);
        let mut lead = Agent::builder("lead").model(model).tools([payer.into_tool().unwrap()]);
        if is_stored {
            lead = lead.store(FolderStore::open(&folder).unwrap());
        }
        let session = lead.build().unwrap().session("a");
        let asked = session.send("Pay.").await.unwrap();
        let used = asked.usage.as_ref().unwrap().input_tokens;
        assert_eq!(used, Some(11), "stored: {is_stored}");
        let answers: Vec<_> = asked.interrupts().iter().map(|it| it.approve()).collect();
        let output = session.resume(answers).await.unwrap();
        assert_eq!(output.usage.unwrap().input_tokens, Some(22), "stored: {is_stored}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
