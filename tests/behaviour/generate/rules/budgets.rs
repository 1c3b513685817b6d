//! Budgets of a run: usage limits, tools that end it, changes by the program before a turn.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::generate::{GenerateOptions, UsageLimit};
use genkit::message::ToolRequest;
use genkit::middleware::{fallback, on_model, retry};
use genkit::model::{FinishReason, ModelResponse, ToolChoice, Usage};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{
    Approval, Context, Error, ErrorKind, GenerateResponse, Genkit, Message, Registry, Role, tool,
    tools,
};
use serde_json::{Value, json};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Hands in a result.
#[tool]
async fn done(score: u32) -> genkit::Result<Value> {
    match score {
        0..=100 => Ok(json!({ "score": score })),
        _ => Err(Error::invalid_argument("a score is at most 100")),
    }
}

/// Asks the model for another word.
#[tool]
async fn word(ctx: &Context) -> genkit::Result<String> {
    Ok(ctx.sample("a word").await?.text())
}

fn used(input: u64, output: u64) -> Usage {
    Usage::default().with_input_tokens(input).with_output_tokens(output)
}

fn call(name: &str, input: Value) -> ModelResponse {
    ModelResponse::from_tool_requests([ToolRequest::new(name, input)]).with_usage(used(100, 10))
}

fn sum() -> ModelResponse {
    call("add", json!({"a": 1, "b": 1}))
}

fn sums(times: usize) -> ScriptedModel {
    ScriptedModel::new((0..times).map(|_| sum()))
}

/// Returns the response before the budget of a run was exceeded, and the limit that was exceeded.
fn ended(error: Error) -> (GenerateResponse, Value) {
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted, "{error:?}");
    assert!(!error.is_retryable());
    let which = error.details().expect("they say which")["usageLimit"].clone();
    (error.into_partial().expect("the error contains the partial response"), which)
}

#[tokio::test]
async fn limit_on_model_calls_ends_a_run_before_the_next_one() {
    let model = sums(5);
    let run = genkit::generate("go").model(model.clone()).tools(tools![add]);
    let limit = UsageLimit::new().requests(2);
    let (partial, which) = ended(run.usage_limit(limit).await.unwrap_err());
    assert_eq!(model.requests().len(), 2);
    assert_eq!(which, json!({"of": "requests", "used": 2, "limit": 2}));
    assert_eq!(partial.messages().len(), 5, "the rounds that were run");
    assert_eq!(partial.finish_reason, Some(FinishReason::Aborted));
    assert!(partial.finish_message.unwrap().contains("used 2 model calls, but its limit is 2"));
    assert_eq!(partial.usage.input_tokens, Some(200));
}

#[tokio::test]
async fn answer_that_goes_over_the_tokens_is_kept_and_its_calls_are_not_run() {
    for (limit, calls, what) in [
        (UsageLimit::new().tokens(219), 2, "tokens"),
        (UsageLimit::default().input_tokens(150), 2, "inputTokens"),
        (UsageLimit::default().output_tokens(10), 1, "outputTokens"),
    ] {
        let model = sums(5);
        let run = genkit::generate("go").model(model.clone()).tools(tools![add]).usage_limit(limit);
        let (partial, which) = ended(run.await.unwrap_err());
        assert_eq!((model.requests().len(), &which["of"]), (calls, &json!(what)));
        if what != "outputTokens" {
            assert_eq!(partial.tool_requests().len(), 1);
            let next = genkit::generate("go on").messages(&partial).model(ScriptedModel::text("x"));
            assert_eq!(next.await.unwrap().messages()[4].role, Role::Tool, "it is closed");
        }
    }
}

#[tokio::test]
async fn last_answer_within_the_limit_is_an_answer_and_one_over_it_an_error_that_owns_it() {
    let answer = || ModelResponse::from_text("hello").with_usage(used(5, 5));
    let ask = |limit| {
        let run = genkit::generate("hi").model(ScriptedModel::new([answer()]));
        run.usage_limit(UsageLimit::new().tokens(limit)).run()
    };
    assert_eq!(ask(10).await.unwrap().text(), "hello");
    let (partial, _) = ended(ask(9).await.unwrap_err());
    assert_eq!(partial.text(), "hello", "it was paid for");
}

#[tokio::test]
async fn retries_samples_and_other_models_count() {
    let down = || Scripted::from(Err(Error::new(ErrorKind::Unavailable, "down")));
    let limit = UsageLimit::default().requests(2);
    let quick = retry().max_retries(9).initial_delay(Duration::ZERO);
    let model = ScriptedModel::new((0..9).map(|_| down()));
    let run = genkit::generate("go").model(model.clone()).middleware(quick).usage_limit(limit);
    ended(run.await.unwrap_err());
    assert_eq!(model.requests().len(), 2, "a retry is a call");

    let (first, other) = (ScriptedModel::new([down()]), ScriptedModel::new([sum()]));
    let run = genkit::generate("go").model(first).tools(tools![add]);
    let run = run.middleware(fallback([other.clone(), ScriptedModel::text("never")]));
    ended(run.usage_limit(limit).await.unwrap_err());
    assert_eq!(other.requests().len(), 1);

    let sampled = ModelResponse::from_text("word").with_usage(used(7, 1));
    let model =
        ScriptedModel::new([call("word", json!({})), sampled, ModelResponse::from_text("ok")]);
    let run = genkit::generate("go").model(model.clone()).tools(tools![word]);
    let response = run.clone().await.unwrap();
    assert_eq!(response.usage, used(107, 11), "a sample of a tool is a call of the run");
    let model = ScriptedModel::new([call("word", json!({})), ModelResponse::from_text("word")]);
    let run = run.model(model.clone()).usage_limit(UsageLimit::default().requests(1));
    let error = run.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    assert_eq!((model.requests().len(), error.partial().unwrap().messages().len()), (1, 2));
}

#[tokio::test]
async fn answer_of_a_middleware_costs_no_request() {
    let cached =
        on_model(|_, _, _| async { ModelResponse::from_text("hi").with_usage(used(1, 1)) });
    let run = genkit::generate("go").model(ScriptedModel::pending()).middleware(cached);
    let response = run.usage_limit(UsageLimit::new().tokens(2).requests(0)).await.unwrap();
    assert_eq!(response.usage, used(1, 1));
}

#[tokio::test]
async fn limits_are_data() {
    let options: GenerateOptions = serde_json::from_value(json!({
        "messages": [{"role": "user", "content": [{"text": "go"}]}],
        "tools": ["done"],
        "usageLimit": {"requests": 1},
        "stopOnTools": ["done"],
    }))
    .unwrap();
    let registry = Registry::new().add(tools![done]);
    let model = ScriptedModel::new([call("done", json!({"score": 1}))]);
    let genkit = Genkit::builder().registry(registry).default_model(model).build().unwrap();
    let response = genkit.generate_with(options).await.unwrap();
    assert_eq!(response.output_value().unwrap(), json!({"score": 1}));
    let wrong = json!({"messages": [], "usageLimit": {"token": 1}});
    assert!(serde_json::from_value::<GenerateOptions>(wrong).is_err(), "a typo is not a limit");
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Score {
    score: u32,
}

#[tokio::test]
async fn run_ends_on_a_tool_with_its_answer_as_the_result() {
    let round = ModelResponse::from_tool_requests([
        ToolRequest::new("add", json!({"a": 1, "b": 2})),
        ToolRequest::new("done", json!({"score": 7})),
    ]);
    let too_much = call("done", json!({"score": 101}));
    let model = ScriptedModel::new([sum(), too_much, round]);
    let run = genkit::generate("go")
        .model(model.clone())
        .tools(tools![add, done])
        .tool_choice(ToolChoice::Required)
        .output::<Score>()
        .stop_on_tool("done");
    let mut stream = run.stream();
    let mut last = None;
    while let Some(chunk) = stream.next().await {
        last = Some(chunk.unwrap());
    }
    let response = stream.response().await.unwrap();
    assert_eq!(response.output::<Score>().unwrap().score, 7);
    assert_eq!(response.finish_reason, Some(FinishReason::Stop));
    assert_eq!(last.unwrap().content, response.message.as_ref().unwrap().content);
    let messages = response.messages();
    assert_eq!(messages.len(), 7, "the call that failed went back to the model");
    let answers: Vec<&Value> = messages[6].tool_responses().map(|answer| &answer.output).collect();
    assert_eq!(answers, [&json!(3), &json!({"score": 7})], "other calls were run");
    let choices = model.requests().into_iter().map(|request| request.tool_choice);
    assert!(choices.eq([
        Some(ToolChoice::Required),
        Some(ToolChoice::Required),
        Some(ToolChoice::Required)
    ]));

    let stored: GenerateResponse =
        serde_json::from_value(serde_json::to_value(&response).unwrap()).unwrap();
    let next =
        genkit::generate("and now?").messages(&stored).model(ScriptedModel::text("7 it is."));
    assert_eq!(next.await.unwrap().text(), "7 it is.", "the history can be continued");
}

#[tokio::test]
async fn tool_that_asks_ends_the_run_once_it_is_answered() {
    let model = ScriptedModel::new([call("done", json!({"score": 3}))]);
    let run = genkit::generate("go").model(model).tools(tools![done]).stop_on_tool("done");
    let run = run.approval(|_| Approval::ask("Hand it in?"));
    let open = run.clone().await.unwrap();
    assert!(open.is_interrupted());
    let response = run.resume(open, |question| question.approve()).await.unwrap();
    assert_eq!(response.output_value().unwrap()["score"], 3);
}

#[tokio::test]
async fn tool_to_stop_on_is_one_of_the_run() {
    let run = genkit::generate("go").model(ScriptedModel::text("x")).tools(tools![done, add]);
    let error = run.stop_on_tool("dome").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("Did you mean `done`?"), "{error}");
}

#[tokio::test]
async fn turn_sees_the_run_and_changes_its_model_tools_and_settings_for_itself() {
    let first = ScriptedModel::new([sum(), ModelResponse::from_text("2")]);
    let second = ScriptedModel::new([sum()]).with_name("second");
    let other = second.clone();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watching = Arc::clone(&seen);
    let run = genkit::generate("go")
        .model(first.clone())
        .config(json!({"apiKey": "k-first", "topK": 3}))
        .tools(tools![add, done])
        .before_turn(move |turn| {
            let (seen, other) = (Arc::clone(&watching), other.clone());
            async move {
                tokio::task::yield_now().await;
                let usage = turn.usage().input_tokens.unwrap_or(0);
                let told = (turn.completed_rounds(), turn.messages().len(), usage, turn.requests());
                seen.lock().unwrap().push(told);
                match turn.completed_rounds() {
                    1 => turn.with_model(other).with_config("temperature", 1),
                    2 => turn.with_tools(["ad*"]).with_tool_choice(ToolChoice::tool("add")),
                    _ => turn,
                }
            }
        })
        .before_turn(|mut turn| async move {
            turn.request.messages.push(Message::user(format!("round {}", turn.completed_rounds())));
            Ok::<_, Error>(turn)
        });
    let response = run.await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [(0, 1, 0, 0), (1, 3, 100, 1), (2, 5, 200, 2)]);
    let asked = [first.requests(), second.requests()].concat();
    let last = |at: usize| asked[at].messages.last().unwrap().text();
    assert_eq!([last(0), last(2), last(1)], ["round 0", "round 1", "round 2"]);
    assert_eq!(asked[2].config, *json!({"topK": 3, "temperature": 1}).as_object().unwrap());
    assert_eq!((asked[1].tools.len(), &asked[1].tool_choice), (1, &Some(ToolChoice::tool("add"))));
    assert_eq!((asked[0].tools.len(), &asked[0].tool_choice), (2, &None));
    assert_eq!(response.messages().len(), 6, "the history is that of the run");
    assert_eq!(response.request.unwrap().tools.len(), 2);
}

#[tokio::test]
async fn call_of_a_tool_that_a_turn_left_out_is_not_run() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    /// Counts.
    #[tool]
    async fn count() -> u32 {
        CALLS.fetch_add(1, Ordering::Relaxed)
    }
    let calls = (0..2).map(|_| call("count", json!({}))).chain([ModelResponse::from_text("ok")]);
    let model = ScriptedModel::new(calls);
    let run = genkit::generate("go").model(model.clone()).tools(tools![add, count]);
    let response = run
        .before_turn(|turn| async move {
            if turn.completed_rounds() == 0 { turn.with_tools(["add"]) } else { turn }
        })
        .await
        .unwrap();
    let outputs = super::outputs(&response);
    assert!(outputs[0]["error"].as_str().unwrap().contains("`count` is not offered now"));
    assert_eq!((&outputs[1], CALLS.load(Ordering::Relaxed)), (&json!(0), 1));
}

#[tokio::test]
async fn error_before_a_turn_ends_the_run_with_what_was_done() {
    let run = |names: [&'static str; 1]| {
        let run = genkit::generate("go").model(sums(2)).tools(tools![add]);
        run.before_turn(move |turn| async move {
            match turn.completed_rounds() {
                0 => Ok(turn),
                _ if names[0] == "fail" => Err("it is late"),
                _ => Ok(turn.with_tools(names)),
            }
        })
        .run()
    };
    let error = run(["fail"]).await.unwrap_err();
    assert_eq!(error.to_string(), "it is late");
    let partial = error.partial().unwrap();
    assert_eq!((partial.messages().len(), partial.usage.input_tokens), (3, Some(100)));
    let error = run(["sub"]).await.unwrap_err();
    assert_eq!((error.kind(), error.partial().unwrap().messages().len()), (ErrorKind::NotFound, 3));
}
