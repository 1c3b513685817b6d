//! Tests of the nesting of spans.

use serde_json::{Value, json};

use super::server::{trace, trace_of};
use super::{echo, model};
use genkit::{Genkit, flow, generate};
use genkit_agent::Instance;
use genkit_core::GenerateOptions;
use genkit_core::ModelResponse;
use genkit_core::Part;
use genkit_core::internal::trace::{NewSpan, Root, SpanKind, trace_work};
use genkit_core::{Context, Flow, Prompt, Registry, Resource, Result, Tool};
use genkit_model::ScriptedModel;

/// Runs work in a span, as flows do.
async fn in_flow<T>(name: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
    let input = || json!({ "who": "Ann" });
    let span = NewSpan { name, kind: SpanKind::Action("flow"), input: &input };
    trace_work(span, work, |_| json!("bye")).await
}

const RUN: &str = "\
greet (flow)
  generate (util)
    lab/m (model)
    echo (tool)
    generate (util)
      lab/m (model)
";

#[tokio::test]
async fn run_in_flow_is_nested_as_in_genkit_js() {
    let run = generate("go").model(model([("echo", json!({"a": 1}))])).tools([echo()]);
    let (ended, trace) = trace(in_flow("greet", run.run())).await;
    ended.unwrap();
    assert_eq!(trace.tree(), RUN);
    let path = |name: &str| trace.span(name)["attributes"]["genkit:path"].clone();
    assert_eq!(path("greet"), "/{greet,t:flow}");
    assert_eq!(path("generate"), "/{greet,t:flow}/{generate,t:util}");
    let inside = "/{greet,t:flow}/{generate,t:util}";
    assert_eq!(path("lab/m"), format!("{inside}/{{lab/m,t:action,s:model}}"));
    assert_eq!(path("echo"), format!("{inside}/{{echo,t:action,s:tool}}"));
    let last = trace.spans().pop().unwrap();
    let last_path = format!("{inside}/{{generate,t:util}}/{{lab/m,t:action,s:model}}");
    assert_eq!(last["attributes"]["genkit:path"], last_path);
    assert_eq!(last["attributes"]["genkit:key"], "/model/lab/m");
}

#[tokio::test]
async fn streamed_run_has_the_same_tree() {
    let run = async {
        let model = model([("echo", json!({"a": 1}))]);
        let mut stream = generate("go").model(model).tools([echo()]).stream();
        while let Some(chunk) = stream.next().await {
            chunk?;
        }
        stream.response().await
    };
    let (ended, trace) = trace(in_flow("greet", run)).await;
    ended.unwrap();
    assert_eq!(trace.tree(), RUN);
}

#[tokio::test]
async fn spans_record_input_and_output() {
    let run = generate("go").model(model([("echo", json!({"a": 1}))])).tools([echo()]);
    let (ended, trace) = trace(in_flow("greet", run.run())).await;
    ended.unwrap();
    let asked = trace.json("generate", "genkit:input");
    assert_eq!(asked["model"], "lab/m");
    assert_eq!(asked["messages"][0]["content"][0]["text"], "go");
    assert_eq!(trace.json("generate", "genkit:output")["message"]["content"][0]["text"], "done");
    assert_eq!(trace.json("lab/m", "genkit:input")["messages"].as_array().unwrap().len(), 1);
    assert_eq!(trace.json("echo", "genkit:input"), json!({"a": 1}));
    assert_eq!(trace.json("echo", "genkit:output"), json!({"a": 1}));
}

#[tokio::test]
async fn api_key_in_config_is_not_recorded_in_spans() {
    let config = json!({"apiKey": "sk-secret", "baseUrl": "http://sk-secret", "temperature": 0});
    let run = generate("go").model(model([("echo", json!({"a": 1}))])).tools([echo()]);
    let (ended, trace) = trace(run.config(config.as_object().unwrap().clone()).run()).await;
    let shown = serde_json::to_string(&ended.unwrap()).unwrap();
    assert!(!shown.contains("sk-secret"), "{shown}");
    for span in trace.spans() {
        assert!(!span.to_string().contains("sk-secret"), "{span:#}");
    }
    for name in ["generate", "lab/m"] {
        assert_eq!(trace.json(name, "genkit:input")["config"], json!({"temperature": 0}));
    }
}

#[tokio::test]
async fn parallel_tools_keep_their_own_branch() {
    let nested =
        Tool::builder("nested", "Asks itself.").handler(|_: Context, input: Value| async move {
            tokio::task::yield_now().await;
            let name = format!("inner/{}", input["n"]);
            let answer = generate("in").model(ScriptedModel::text("x").with_name(name)).await?;
            tokio::task::yield_now().await;
            Ok(answer.text())
        });
    let calls =
        [("nested", json!({"n": 1})), ("nested", json!({"n": 2})), ("nested", json!({"n": 3}))];
    let run = generate("go").model(model(calls)).tools([nested]);
    let (ended, trace) = trace(run.run()).await;
    ended.unwrap();
    let mut tools = 0;
    for tool in trace.spans().iter().filter(|span| span["displayName"] == "nested") {
        tools += 1;
        let input: Value =
            serde_json::from_str(tool["attributes"]["genkit:input"].as_str().unwrap()).unwrap();
        let path =
            format!("/{{nested,t:action,s:tool}}/{{generate,t:util}}/{{inner/{}", input["n"]);
        let inner: Vec<Value> = trace
            .spans()
            .into_iter()
            .filter(|span| span["parentSpanId"] == tool["spanId"])
            .collect();
        assert_eq!(inner.len(), 1, "{}", trace.tree());
        let models = trace.spans();
        let model = models.iter().find(|span| span["parentSpanId"] == inner[0]["spanId"]).unwrap();
        let found = model["attributes"]["genkit:path"].as_str().unwrap();
        assert!(found.contains(&path), "{found} {path}");
    }
    assert_eq!(tools, 3, "{}", trace.tree());
}

#[tokio::test]
async fn resources_of_a_run_are_stored_in_the_run() {
    let note = Resource::builder("note://7", "note", "A note.")
        .handler(|_: Context, _: Value| async { Ok("hello".to_owned()) });
    let part = Part::resource_link("note://7");
    let run = generate([part]).model(ScriptedModel::text("done")).resources([note]);
    let (ended, trace) = trace(run.run()).await;
    ended.unwrap();
    assert_eq!(trace.tree(), "generate (util)\n  note (resource)\n  scripted (model)\n");
    assert_eq!(trace.json("note", "genkit:input"), json!({"uri": "note://7"}));
    assert_eq!(trace.json("note", "genkit:output"), json!({"content": [{"text": "hello"}]}));
}

#[tokio::test]
async fn step_has_its_name() {
    let mut options = GenerateOptions::default().with_step_name("summarize");
    options.messages.push(genkit_core::Message::user("go"));
    let run = Genkit::default().generate_with(options).model(ScriptedModel::text("done"));
    let (ended, trace) = trace(run.run()).await;
    ended.unwrap();
    assert_eq!(trace.tree(), "summarize (util)\n  scripted (model)\n");
}

#[tokio::test]
async fn manual_calls_are_grouped() {
    let asked = model([("echo", json!({})), ("echo", json!({}))]);
    let asked =
        generate("go").model(asked).tools([echo()]).return_tool_requests(true).await.unwrap();
    let (ran, trace) = trace(asked.run_tools([echo()])).await;
    ran.unwrap();
    assert_eq!(trace.tree(), "run_tools (util)\n  echo (tool)\n  echo (tool)\n");
}

#[tokio::test]
async fn root_span_uses_given_ids_labels_and_context() {
    let mut root = Root::new();
    let span_id = root.span_id.to_string();
    root.labels.insert("batchRun".into(), "lab1".into());
    let context = json!({"auth": {"uid": "u-4711"}, "secrets": {"k": "hidden"}, "team": "red"});
    root.context = context.as_object().cloned().unwrap();
    let run = in_flow("greet", async { generate("go").model(ScriptedModel::text("hi")).await });
    let (ended, trace) = trace_of(root, run).await;
    ended.unwrap();
    let span = trace.span("greet");
    assert_eq!(span["spanId"], span_id);
    assert_eq!(span["attributes"]["batchRun"], "lab1");
    assert_eq!(span["attributes"]["genkit:isRoot"], true);
    let context = trace.json("greet", "genkit:metadata:context");
    assert_eq!(context, json!({"auth": "<redacted>", "secrets": "<redacted>", "team": "red"}));
    let child = trace.span("generate");
    assert_eq!(child["parentSpanId"], span_id);
    assert!(child["attributes"].get("batchRun").is_none(), "{child:#}");
    assert!(!format!("{:?}", trace.posts).contains("u-4711"));
}

#[tokio::test]
async fn action_context_of_a_run_is_recorded_without_its_auth() {
    let context = json!({"auth": {"uid": "u-4711"}, "team": "red"}).as_object().cloned().unwrap();
    let run = generate("go").model(ScriptedModel::text("hi")).action_context(context);
    let (ended, trace) = trace(run.run()).await;
    ended.unwrap();
    let context = trace.json("generate", "genkit:metadata:context");
    assert_eq!(context, json!({"auth": "<redacted>", "team": "red"}));
}

#[tokio::test]
async fn retries_are_model_calls_of_one_turn() {
    use genkit_core::{Error, ErrorKind};
    use genkit_model::Scripted;
    let script = [
        Scripted::from(Err(Error::new(ErrorKind::Unavailable, "down"))),
        Scripted::from(ModelResponse::from_text("up")),
    ];
    let retry = genkit_agent::middleware::retry().initial_delay(std::time::Duration::ZERO);
    let run = generate("go").model(ScriptedModel::new(script)).middleware(retry);
    let (ended, trace) = trace(run.run()).await;
    ended.unwrap();
    let tree = "generate (util)\n  scripted (model) error <- source\n  scripted (model)\n";
    assert_eq!(trace.tree(), tree);
}

/// Thinks, in a step.
#[flow]
async fn thinking(ctx: &Context) -> Result<String> {
    let model = ScriptedModel::text("done").with_name("lab/m");
    Ok(ctx.step("think", generate("go").model(model)).await?.text())
}

#[tokio::test]
async fn flow_step_span_contains_its_run() {
    let (ended, trace) = trace(async { Flow::of::<thinking>().run(json!({})).await }).await;
    assert_eq!(ended.unwrap(), "done");
    let tree = "\
thinking (flow)
  think (flowStep)
    generate (util)
      lab/m (model)
";
    assert_eq!(trace.tree(), tree);
    let path = trace.span("think")["attributes"]["genkit:path"].clone();
    assert_eq!(path, "/{thinking,t:flow}/{think,t:flowStep}");
}

#[tokio::test]
async fn rendered_prompt_is_exported_with_its_run() {
    let poem = Prompt::builder("poem", "Asks for a poem.")
        .handler(|_: Context, _: Value| async { Ok("A poem, please.".to_owned()) });
    let registry = Registry::new().add(poem);
    let genkit = Instance::builder().registry(registry).build().unwrap();
    let run = genkit.prompt("poem").model(ScriptedModel::text("Roses"));
    let (ended, trace) = trace(async { run.await }).await;
    ended.unwrap();
    let tree = "generate (util)\n  poem (promptTemplate)\n  scripted (model)\n";
    assert_eq!(trace.tree(), tree);
}
