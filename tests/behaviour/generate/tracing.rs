//! Spans with OpenTelemetry's attributes for generative AI.

use genkit::evaluate::{DataPoint, metrics};
use genkit::testing::{Client, ScriptedModel};
use genkit::{
    Context, Error, Flow, Generate, Prompt, Resource, Result, flow, resource, tool, tools,
};
use serde_json::json;

use crate::recorded::{Fields, RecordedSpans};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

async fn traced(contents: bool) -> Vec<Fields> {
    let model = super::calls([("add", json!({"a": 1, "b": 41}))]).with_name("lab/model-1");
    let run = genkit::generate("secret").model(model).tools(tools![add]).temperature(0.5);
    recorded(run.trace_contents(contents)).await
}

async fn recorded(run: Generate) -> Vec<Fields> {
    let spans = RecordedSpans::here();
    run.await.unwrap();
    spans.all()
}

#[tokio::test]
async fn span_for_each_run_turn_model_call_and_tool_call() {
    let spans = traced(false).await;
    let names: Vec<&str> = spans.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["generate", "turn", "chat", "execute_tool", "turn", "chat"]);
    let has = |at: usize, key: &str, value: &str| {
        assert_eq!(
            spans[at].1.get(key).map(String::as_str),
            Some(value),
            "{key} of {:?}",
            spans[at]
        );
    };
    has(0, "gen_ai.operation.name", "invoke_agent");
    has(2, "gen_ai.operation.name", "chat");
    has(2, "gen_ai.provider.name", "lab");
    has(2, "gen_ai.request.model", "model-1");
    has(2, "gen_ai.request.temperature", "0.5");
    has(3, "gen_ai.tool.name", "add");
    assert!(spans[3].1.contains_key("gen_ai.tool.call.id"));
    assert!(spans[5].1["gen_ai.response.finish_reasons"].contains("stop"));
    let all = format!("{spans:?}");
    assert!(!all.contains("secret") && !all.contains("41"), "no contents: {all}");
}

#[tokio::test]
async fn rendering_a_prompt_is_a_span() {
    let greet = Prompt::builder("greet", "Greets.")
        .argument("name", "Who.")
        .handler(|_: genkit::Context, _: serde_json::Value| async { Ok("Hello!") });
    let run = genkit::prompt(greet).input(json!({"name": "secret"}));
    let spans = recorded(run.model(ScriptedModel::text("x"))).await;
    let names: Vec<&str> = spans.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["render", "generate", "turn", "chat"]);
    assert_eq!(spans[0].1["name"], "greet");
    assert!(!format!("{spans:?}").contains("secret"));
}

#[tokio::test]
async fn contents_are_recorded_where_it_is_asked_for() {
    let all = format!("{:?}", traced(true).await);
    assert!(all.contains("secret") && all.contains("41") && all.contains("done"), "{all}");
}

/// A flow with a step.
#[flow]
async fn stepping(ctx: &Context) -> Result<String> {
    ctx.step("think", async { Ok::<_, Error>("hidden".to_owned()) }).await
}

/// A note.
#[resource("note://traced")]
async fn traced_note() -> &'static str {
    "hidden"
}

#[tokio::test]
async fn flows_resources_and_metrics_have_spans() {
    let spans = RecordedSpans::here();
    Flow::of::<stepping>().run(json!({})).await.unwrap();
    Resource::of::<traced_note>().read("note://traced").await.unwrap();
    let point = DataPoint::new("hidden").with_output("hidden").with_reference("hidden");
    metrics::regex().run(json!({"dataset": [point]})).await.unwrap();
    let client = Client::connect(crate::serving(tools![add])).await.unwrap();
    client.call_tool("add", json!({"a": 1, "b": 41})).await.unwrap();
    let spans = spans.all();
    let own = ["flow", "step", "resource", "evaluator", "evaluate", "execute_tool"];
    let seen: Vec<_> = spans.iter().filter(|(name, ..)| own.contains(name)).collect();
    let names: Vec<&str> = seen.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, own);
    let name = |at: usize| seen[at].1.get("name").map(String::as_str);
    assert_eq!(name(0), Some("stepping"));
    assert_eq!(name(1), Some("think"));
    assert_eq!(name(2), Some("traced_note"));
    assert_eq!(name(3), Some("genkitEval/regex"));
    assert_eq!(seen[5].1["gen_ai.tool.name"], "add");
    let all: String = seen.iter().map(|(_, fields)| format!("{fields:?}")).collect();
    assert!(!all.contains("hidden") && !all.contains("41"), "no contents: {all}");
}
