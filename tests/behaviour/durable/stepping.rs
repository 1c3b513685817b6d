//! The agent loop as a value: performed step by step, stored after each step, continued in other processes.

use std::sync::Arc;

use genkit::generate::{CallResult, ModelResult, NextStep, OutputVerdict, Run, RunState};
use genkit::message::ToolRequest;
use genkit::middleware::retry;
use genkit::model::{ModelResponse, Usage};
use genkit::testing::ScriptedModel;
use genkit::{
    Approval, Context, ErrorKind, GenerateResponse, Genkit, Registry, Result, Tool, tool, tools,
};
use serde_json::{Value, json};

use crate::generate::{calls, outputs};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Deletes a note.
#[tool(needs_approval)]
async fn delete(id: u64) -> String {
    format!("{id} is gone")
}

/// Asks the model of its caller.
#[tool]
async fn muse(ctx: &Context) -> Result<String> {
    Ok(ctx.sample("What now?").await?.text())
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Asks two questions at once.
#[tool]
async fn meet(ctx: &Context) -> Result<String> {
    let (one, two) = tokio::join!(
        ctx.elicit::<Name>("First?").key("one").into_future(),
        ctx.elicit::<Name>("Second?").key("two").into_future(),
    );
    Ok(format!("{} and {}", one?.accepted().unwrap().name, two?.accepted().unwrap().name))
}

fn instance(answers: impl IntoIterator<Item = ModelResponse>) -> (Genkit, ScriptedModel) {
    let model = ScriptedModel::new(answers);
    let registry = Registry::new().add(tools![add, delete, muse, meet]);
    let genkit = Genkit::builder().registry(registry).default_model(model.clone());
    (genkit.build().unwrap(), model)
}

fn asks<const N: usize>(calls: [(&str, &str, Value); N]) -> ModelResponse {
    let calls = calls.map(|(id, name, input)| ToolRequest::new(name, input).with_id(id));
    ModelResponse::from_tool_requests(calls)
        .with_usage(Usage::default().with_input_tokens(10).with_output_tokens(2))
}

/// Two rounds, one of which is interrupted, and an answer that is invalid at first.
fn script() -> Vec<ModelResponse> {
    vec![
        asks([("c1", "add", json!({"a": 1, "b": 2})), ("c2", "nothing", json!({}))]),
        asks([("c3", "delete", json!({"id": 7})), ("c4", "add", json!({"a": 3, "b": 4}))]),
        ModelResponse::from_text("no JSON"),
        ModelResponse::from_text(r#"{"name": "Ada"}"#),
    ]
}

fn stored(state: &RunState) -> String {
    serde_json::to_string(state).unwrap()
}

/// Returns the run after a round trip through text, as if in another process.
async fn elsewhere(genkit: &Genkit, run: Run) -> Run {
    let text = stored(&run.state());
    let run = Run::resume(genkit, serde_json::from_str(&text).unwrap()).await.unwrap();
    assert_eq!(stored(&run.state()), text, "nothing is lost on the way");
    run
}

/// Describes the next step in one word.
fn said(run: &mut Run) -> String {
    match run.next() {
        NextStep::Model(call) => format!("model {}", call.round()),
        NextStep::Tools(calls) => {
            let ids: Vec<_> =
                calls.iter().map(|call| call.request().id.clone().unwrap_or_default()).collect();
            format!("tools {}", ids.join(" "))
        }
        NextStep::Check(_) => "check".to_owned(),
        NextStep::Asks(open) => format!("asks {}", open.len()),
        _ => "done".to_owned(),
    }
}

/// Performs one step. If there are several calls, only the last one.
async fn step(run: &mut Run) -> Result<()> {
    match run.next() {
        NextStep::Model(call) => {
            let answer = call.perform().await;
            run.accept_model_result(answer)?;
        }
        NextStep::Tools(mut calls) => {
            let settled = calls.pop().unwrap().perform().await;
            assert!(run.accept_call_result(settled)?);
        }
        NextStep::Check(check) => {
            let checked = check.perform().await;
            run.accept_verdict(checked)?;
        }
        NextStep::Asks(open) => run.answer(open[0].approve())?,
        _ => {}
    }
    Ok(())
}

fn bare(mut response: GenerateResponse) -> Value {
    response.message.as_mut().unwrap().metadata.clear();
    serde_json::to_value(&response).unwrap()
}

#[tokio::test]
async fn run_that_is_stored_after_each_step_gives_what_an_awaited_one_gives() {
    let ask = |genkit: &Genkit| {
        let ask = genkit.generate("go").tools(["add", "delete"]).output::<Name>();
        ask.output_retries(1).on_tool_error(genkit::generate::OnToolError::ReturnToModel)
    };
    let (genkit, _) = instance(script());
    let asked = ask(&genkit).await.unwrap();
    let awaited = ask(&genkit).resume(asked.clone(), |question| question.approve()).await.unwrap();

    let (genkit, model) = instance(script());
    let mut run = ask(&genkit).start().await.unwrap();
    let mut steps = Vec::new();
    while !matches!(run.next(), NextStep::Done) {
        let now = said(&mut run);
        assert_eq!(said(&mut run), now, "asking changes nothing");
        run = elsewhere(&genkit, run).await;
        assert_eq!(said(&mut run), now, "the same state returns the same next step");
        steps.push(now);
        step(&mut run).await.unwrap();
    }
    let expected = [
        "model 0",
        "tools c1 c2",
        "tools c1",
        "model 1",
        "tools c3 c4",
        "tools c3",
        "asks 1",
        "tools c3",
        "model 2",
        "check",
        "model 2",
        "check",
    ];
    assert_eq!(steps, expected);
    assert_eq!(model.requests().len(), 4);
    let run = elsewhere(&genkit, run).await; // a finished run can be stored as well
    let stepped = run.into_response().unwrap();
    assert_eq!(stepped.usage.input_tokens, Some(20), "the usage of all processes of the run");
    assert_eq!(stepped.message, awaited.message);
    assert_eq!(stepped.messages(), awaited.messages());
    let without_usage = |response: GenerateResponse| {
        let mut bare = bare(response);
        bare.as_object_mut().unwrap().remove("usage");
        bare
    };
    assert_eq!(without_usage(stepped), without_usage(awaited));
}

#[tokio::test]
async fn run_that_is_stepped_to_its_question_is_what_an_awaited_one_stops_with() {
    let (genkit, _) = instance(script());
    let awaited = genkit.generate("go").tools(["add", "delete"]).await.unwrap();
    let (genkit, _) = instance(script());
    let run = genkit.generate("go").tools(["add", "delete"]).start().await.unwrap();
    let stepped = run.finish().await.unwrap();
    assert!(stepped.is_interrupted());
    assert_eq!(serde_json::to_value(&stepped).unwrap(), serde_json::to_value(&awaited).unwrap());
}

#[tokio::test]
async fn calls_are_performed_anywhere_and_settled_once() {
    fn sent<T: serde::Serialize + serde::de::DeserializeOwned>(value: T) -> T {
        serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap()
    }
    let answers = [
        asks([("c1", "muse", json!({})), ("c2", "add", json!({"a": 1, "b": 2}))]),
        ModelResponse::from_text("rest")
            .with_usage(Usage::default().with_input_tokens(7).with_output_tokens(1)),
        ModelResponse::from_text(r#"{"name": "Ada"}"#),
    ];
    let (genkit, _) = instance(answers);
    let ask = genkit.generate("go").tools(["muse", "add"]).output::<Name>().output_retries(1);
    let mut run = ask.start().await.unwrap();
    let mut worker = Run::resume(&genkit, run.state()).await.unwrap();
    let NextStep::Model(call) = worker.next() else { panic!("{:?}", worker.next()) };
    let answer: ModelResult = sent(call.perform().await.unwrap());
    assert!(run.accept_model_result(Ok(answer.clone())).unwrap());
    assert!(!run.accept_model_result(Ok(answer)).unwrap(), "the result arrived twice");

    let before = run.state();
    let mut settled = Vec::new();
    for at in [1, 0] {
        let mut worker = Run::resume(&genkit, before.clone()).await.unwrap();
        let NextStep::Tools(mut calls) = worker.next() else { panic!("{:?}", worker.next()) };
        let done: CallResult = sent(calls.remove(at).perform().await.unwrap());
        assert!(!done.outcome().is_interrupted());
        settled.push(done);
    }
    for done in &settled {
        assert!(run.accept_call_result(Ok(done.clone())).unwrap());
        assert!(!run.accept_call_result(Ok(done.clone())).unwrap(), "the result arrived twice");
    }
    assert_eq!(said(&mut run), "model 1");
    let run_before_answer = run.state();
    let mut worker = Run::resume(&genkit, run_before_answer).await.unwrap();
    step(&mut worker).await.unwrap();
    let NextStep::Check(check) = worker.next() else { panic!("{:?}", worker.next()) };
    let checked: OutputVerdict = sent(check.perform().await.unwrap());
    let mut run = Run::resume(&genkit, worker.state()).await.unwrap();
    assert!(run.accept_verdict(Ok(checked.clone())).unwrap());
    assert!(!run.accept_verdict(Ok(checked)).unwrap(), "the result arrived twice");
    let response = run.into_response().unwrap();
    assert_eq!(response.usage.input_tokens, Some(17), "what the tool sampled elsewhere is in it");
}

#[tokio::test]
async fn usage_limit_applies_across_processes() {
    let one = || asks([("c1", "delete", json!({"id": 7}))]);
    let (genkit, model) = instance([one(), one(), one()]);
    let limit = genkit::generate::UsageLimit::default().requests(2);
    let ask = genkit.generate("go").tools(["delete"]).usage_limit(limit);
    let mut run = ask.start().await.unwrap();
    let error = loop {
        run = elsewhere(&genkit, run).await;
        if let Err(error) = step(&mut run).await {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    assert_eq!(model.requests().len(), 2);
    assert_eq!(error.partial().unwrap().messages().len(), 5);
    assert!(matches!(run.next(), NextStep::Done));
    assert_eq!(run.into_response().unwrap_err().kind(), ErrorKind::Aborted, "it was told");
}

#[tokio::test]
async fn everything_that_is_missing_is_named_before_anything_is_done() {
    let model = ScriptedModel::text("hi").with_name("house/own");
    let own = Tool::builder("own", "Does it.").handler(|_: Context, _: Value| async { Ok(1) });
    let registry = Registry::new().add(tools![add]);
    let genkit = Genkit::builder().registry(registry).named_middleware("again", retry());
    let genkit = genkit.build().unwrap();
    let options = serde_json::from_value(json!({
        "messages": [{"role": "user", "content": [{"text": "go"}]}],
        "use": ["again"],
        "config": {"apiKey": "k-1-s3cret", "temperature": 0.5},
    }));
    let ask = genkit
        .generate_with(options.unwrap())
        .model(model)
        .tools(vec![tools![add].remove(0).into(), genkit::generate::ToolRef::from(own)])
        .approval(|_| Approval::Allow)
        .extension(7_u8);
    let state = ask.clone().start().await.unwrap().state();
    assert!(!stored(&state).contains("s3cret"), "{}", stored(&state));
    assert_eq!((state.model(), state.tools()), ("house/own", &["add".into(), "own".into()][..]));

    let other = Genkit::builder().registry(Registry::new()).build().unwrap();
    let error = Run::resume(&other, state.clone()).await.unwrap_err();
    let text = error.to_string();
    for named in [
        "approval policy",
        "extensions",
        "`apiKey`",
        "`house/own`",
        "the tool `own`",
        "the tool `add`",
        "again",
    ] {
        assert_eq!(text.matches(named).count(), 1, "{named}: {text}");
    }
    // Code is not stored, so it is passed again.
    let response = ask.resume_run(state).await.unwrap().finish().await.unwrap();
    assert_eq!(response.text(), "hi");
}

#[tokio::test]
async fn withheld_tools_stay_withheld_after_resuming() {
    let (genkit, _) = instance([
        asks([("c1", "add", json!({"a": 1, "b": 2})), ("c2", "delete", json!({"id": 7}))]),
        ModelResponse::from_text("bye"),
    ]);
    let ask = genkit.generate("go").tools(["add", "delete"]);
    let ask = ask.before_turn(|turn| async { turn.with_tools(["add"]) });
    let mut run = ask.clone().start().await.unwrap();
    step(&mut run).await.unwrap();
    let state: RunState = serde_json::from_str(&stored(&run.state())).unwrap();
    let response = ask.resume_run(state).await.unwrap().finish().await.unwrap();
    let answers = outputs(&response);
    assert_eq!(answers[0], 3);
    assert!(answers[1]["error"].as_str().unwrap().contains("not offered"), "{answers:?}");
}

#[tokio::test]
async fn questions_are_answered_one_by_one_and_once() {
    let (genkit, _) =
        instance([asks([("c1", "meet", json!({}))]), ModelResponse::from_text("met")]);
    let mut run = genkit.generate("go").tools(["meet"]).start().await.unwrap();
    assert_eq!(
        run.answer(genkit::Answer::respond(ToolRequest::new("meet", ()).respond(1)))
            .unwrap_err()
            .kind(),
        ErrorKind::FailedPrecondition,
        "nothing is asked yet"
    );
    step(&mut run).await.unwrap();
    step(&mut run).await.unwrap();
    let open = run.open_questions();
    assert_eq!(open.iter().map(genkit::Interrupt::key).collect::<Vec<_>>(), ["one", "two"]);
    run.answer(open[1].accept(json!({"name": "Bob"}))).unwrap();
    let mut run = elsewhere(&genkit, run).await;
    assert_eq!(said(&mut run), "asks 1");
    let twice = run.answer(open[1].accept(json!({"name": "Eve"}))).unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::InvalidArgument);
    let to_none = ToolRequest::new("meet", ()).with_id("c9").respond("x");
    assert!(run.answer(genkit::Answer::respond(to_none)).is_err());
    assert_eq!(said(&mut run), "asks 1", "an invalid answer changes nothing");
    run.answer(open[0].accept(json!({"name": "Ada"}))).unwrap();
    let response = run.finish().await.unwrap();
    assert_eq!(outputs(&response), ["Ada and Bob"]);
}

#[tokio::test]
async fn state_of_a_newer_schema_is_rejected_by_its_number() {
    let (genkit, _) = instance([]);
    let state = genkit.generate("go").start().await.unwrap().state();
    let mut json = serde_json::to_value(&state).unwrap();
    json["version"] = 9.into();
    json["settings"] = "of another shape".into();
    let error = serde_json::from_str::<RunState>(&json.to_string()).unwrap_err();
    assert!(error.to_string().contains("has schema version 9"), "{error}");
}

/// Runs stored by each schema version, with every kind of state in them. The files are never rewritten: a new version
/// gets a new folder.
#[tokio::test]
async fn stored_states_of_every_schema_version_resume() {
    let folder = format!("{}/fixtures/runs/1", env!("CARGO_MANIFEST_DIR"));
    let mut seen = Vec::new();
    for name in ["ready", "tools", "asks", "answered", "done"] {
        let path = format!("{folder}/{name}.json");
        if std::env::var_os("UPDATE").is_some() && !std::path::Path::new(&path).exists() {
            write_states(&folder).await;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let state: RunState = serde_json::from_str(&text).unwrap();
        let answers = script().into_iter().skip(match name {
            "ready" => 0,
            "tools" => 1,
            "asks" => 2,
            _ => 3,
        });
        let (genkit, _) = instance(answers);
        let mut run = Run::resume(&genkit, state).await.unwrap();
        seen.push(said(&mut run));
        while !matches!(run.next(), NextStep::Done) {
            step(&mut run).await.unwrap();
        }
        assert_eq!(run.into_response().unwrap().text(), r#"{"name": "Ada"}"#, "{name}");
    }
    assert_eq!(seen, ["model 0", "tools c1", "asks 1", "check", "done"]);
}

async fn write_states(folder: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let (genkit, _) = instance(script());
    let ask = genkit.generate("go").tools(["add", "delete"]).output::<Name>().output_retries(1);
    let mut run = ask.temperature(0.5).start().await.unwrap();
    let mut seen = Vec::new();
    loop {
        let now = said(&mut run);
        let file = match &*now {
            "model 0" => Some("ready"),
            "tools c1" => Some("tools"),
            "asks 1" => Some("asks"),
            "check" if !seen.contains(&now) => Some("answered"),
            "done" => Some("done"),
            _ => None,
        };
        if let Some(file) = file {
            let text = serde_json::to_string_pretty(&run.state()).unwrap();
            std::fs::write(format!("{folder}/{file}.json"), text + "\n").unwrap();
        }
        if now == "done" {
            return;
        }
        seen.push(now);
        step(&mut run).await.unwrap();
    }
}

#[tokio::test]
async fn dropping_a_run_cancels_background_work_of_tools() {
    let (told, mut end) = tokio::sync::mpsc::channel::<()>(1);
    let told = Arc::new(told);
    let leave =
        Tool::builder("leave", "Leaves work behind.").handler(move |ctx: Context, _: Value| {
            let told = Arc::clone(&told);
            async move {
                tokio::spawn(async move {
                    ctx.cancelled().await;
                    told.send(()).await.ok();
                });
                Ok("left")
            }
        });
    let model = calls([("leave", json!({}))]);
    let mut run = genkit::generate("go").model(model).tools(vec![leave]).start().await.unwrap();
    step(&mut run).await.unwrap();
    step(&mut run).await.unwrap();
    drop(run);
    assert_eq!(end.recv().await, Some(()));
}
