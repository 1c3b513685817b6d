//! The end of a run: success, limit, cancellation, error.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::action::HandlerError;
use genkit::generate::GenerateOptions;
use genkit::message::ToolRequest;
use genkit::middleware::on_model;
use genkit::model::{FinishReason, ModelResponse, Usage};
use genkit::testing::ScriptedModel;
use genkit::{Context, Error, ErrorKind, GenerateResponse, Message, Tool, tool, tools};
use serde_json::{Value, json};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Returns a model that requests tools forever.
fn endless() -> ScriptedModel {
    ScriptedModel::new((0..20).map(|n| {
        ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": n, "b": 1}))])
    }))
}

#[tokio::test]
async fn run_at_turn_limit_returns_partial_response() {
    for (max, model_calls) in [(None, 6), (Some(2), 3), (Some(0), 1)] {
        let model = endless();
        let mut run = genkit::generate("go").model(model.clone()).tools(tools![add]);
        if let Some(max) = max {
            run = run.max_turns(max);
        }
        let response = run.await.expect("a limit is not an error");
        assert_eq!(model.requests().len(), model_calls);
        assert_eq!(response.finish_reason, Some(FinishReason::Aborted));
        let limit = max.unwrap_or(5);
        let said = response.finish_message.as_deref().unwrap();
        assert!(said.contains(&format!("the limit of {limit} tool rounds")), "{said}");
        assert_eq!(response.messages().len(), 1 + 2 * limit + 1, "nothing is lost");
        assert_eq!(response.tool_requests().len(), 1, "the open call too");
    }
}

#[tokio::test]
async fn strict_makes_the_limit_an_error_that_owns_the_response() {
    let run = genkit::generate("go")
        .model(endless())
        .tools(tools![add])
        .max_turns(1)
        .fail_on_max_turns(true);
    let error = run.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Aborted);
    assert_eq!(error.into_partial().unwrap().messages().len(), 4);
}

#[tokio::test]
async fn failure_of_a_later_turn_owns_the_history_and_the_usage() {
    let mut first =
        ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 1, "b": 1}))]);
    first.usage.input_tokens = Some(7);
    let down = Error::new(ErrorKind::Unavailable, "overloaded");
    let model = ScriptedModel::new([Ok(first), Err(down)]);
    let error = genkit::generate("go").model(model).tools(tools![add]).await.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Unavailable, "overloaded"));
    let done: &GenerateResponse = error.partial().unwrap();
    assert_eq!(done.messages().len(), 3);
    assert_eq!(done.usage.input_tokens, Some(7));
    assert!(!format!("{error:?} {done:?}").contains("go\""), "no content in Debug: {done:?}");
}

#[tokio::test]
async fn blocked_answer_and_one_without_a_message_are_errors() {
    let mut blocked = ModelResponse::default();
    blocked.finish_reason = Some(FinishReason::Blocked);
    blocked.finish_message = Some("SAFETY".into());
    let error = genkit::generate("go").model(ScriptedModel::new([blocked])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    assert_eq!(error.to_string(), "the response was blocked: SAFETY");
    assert_eq!(error.partial().unwrap().finish_reason, Some(FinishReason::Blocked));

    let nothing = ScriptedModel::new([ModelResponse::default()]);
    let error = genkit::generate("go").model(nothing).await.unwrap_err();
    assert_eq!(error.to_string(), "the model responded without a message");
}

#[tokio::test]
async fn other_finish_reasons_are_reported() {
    let mut cut = ModelResponse::from_text("It is");
    cut.finish_reason = Some(FinishReason::Length);
    let response = genkit::generate("go").model(ScriptedModel::new([cut])).await.unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Length));
    let error = response.output::<u32>().unwrap_err().to_string();
    assert!(error.contains("it ended with Length, and the text is: It is"), "{error}");
}

#[tokio::test]
async fn usage_is_that_of_all_calls() {
    let used = |n| {
        let mut usage = Usage::default();
        usage.input_tokens = Some(n);
        usage.total_tokens = Some(2 * n);
        usage
    };
    let mut first =
        ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 1, "b": 1}))]);
    first.usage = used(5);
    let mut second = ModelResponse::from_text("2");
    second.usage = used(8);
    let model = ScriptedModel::new([first, second]);
    let response = genkit::generate("go").model(model).tools(tools![add]).await.unwrap();
    assert_eq!(response.usage, used(13));
}

/// Records when it is dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Returns a tool that never ends, like the work that it spawns in another task. Both record their end.
fn hanging(ended: &Arc<AtomicUsize>) -> Tool {
    let ended = Arc::clone(ended);
    Tool::builder("hang", "Hangs.").handler(move |ctx: Context, _: Value| {
        let guard = Dropped(Arc::clone(&ended));
        let other = Dropped(Arc::clone(&ended));
        async move {
            let _guard = guard;
            let context = ctx.clone();
            tokio::spawn(async move {
                context.cancelled().await;
                drop(other);
            });
            std::future::pending::<Result<u32, HandlerError>>().await
        }
    })
}

fn hangs() -> ScriptedModel {
    ScriptedModel::new([ModelResponse::from_tool_requests([
        ToolRequest::new("hang", json!({})),
        ToolRequest::new("hang", json!({})),
    ])])
}

async fn all_ended(ended: &AtomicUsize, wanted: usize) {
    for _ in 0..1000 {
        if ended.load(Ordering::SeqCst) == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("only {} of {wanted} ended", ended.load(Ordering::SeqCst));
}

#[tokio::test]
async fn signal_stops_every_tool_and_what_it_started() {
    let ended = Arc::new(AtomicUsize::new(0));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let run = genkit::generate("go").model(hangs()).tools([hanging(&ended)]);
    let run = run.cancel_on(async move { stopped.await.unwrap_or(()) });
    let run = tokio::spawn(run.into_future());
    tokio::time::sleep(Duration::from_millis(20)).await;
    stop.send(()).unwrap();
    let error = run.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(error.partial().unwrap().tool_requests().len(), 2);
    all_ended(&ended, 4).await;
}

#[tokio::test]
async fn dropping_the_run_stops_every_tool_and_what_it_started() {
    let ended = Arc::new(AtomicUsize::new(0));
    let run = genkit::generate("go").model(hangs()).tools([hanging(&ended)]).into_future();
    tokio::time::timeout(Duration::from_millis(20), run).await.expect_err("it hangs");
    all_ended(&ended, 4).await;
}

#[tokio::test(start_paused = true)]
async fn deadline_is_for_the_whole_run() {
    let ended = Arc::new(AtomicUsize::new(0));
    let run = genkit::generate("go").model(hangs()).tools([hanging(&ended)]);
    let began = tokio::time::Instant::now();
    let error = run.deadline(Duration::from_secs(7)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert_eq!(error.to_string(), "the run did not end within its deadline of 7s");
    assert_eq!(began.elapsed().as_secs(), 7);
    assert_eq!(error.partial().unwrap().messages().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn model_call_has_a_limit_of_ten_minutes() {
    let began = tokio::time::Instant::now();
    let error = genkit::generate("go").model(ScriptedModel::pending()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert_eq!(began.elapsed().as_secs(), 600);
    let run = genkit::generate("go").model(ScriptedModel::pending());
    let error = run.model_timeout(Duration::from_secs(3)).await.unwrap_err();
    assert_eq!(error.to_string(), "the model `scripted` did not respond within 3s");
}

#[tokio::test(start_paused = true)]
async fn tool_call_has_a_limit_of_a_minute() {
    let ended = Arc::new(AtomicUsize::new(0));
    for (limit, said) in [(None, "within 60s"), (Some(5), "within 5s")] {
        let model = super::calls([("hang", json!({}))]);
        let mut run = genkit::generate("go").model(model).tools([hanging(&ended)]);
        if let Some(limit) = limit {
            run = run.tool_timeout(Duration::from_secs(limit));
        }
        let answered = super::outputs(&run.await.unwrap());
        assert!(answered[0]["error"].as_str().unwrap().contains(said), "{}", answered[0]);
    }
}

#[tokio::test]
async fn too_many_calls_at_once_are_rejected() {
    for (count, fits) in [(128, true), (129, false)] {
        let requests = (0..count).map(|_| ToolRequest::new("add", json!({"a": 1, "b": 1})));
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests(requests),
            ModelResponse::from_text("done"),
        ]);
        let ended = genkit::generate("go").model(model).tools(tools![add]).await;
        assert_eq!(ended.is_ok(), fits, "{count}");
    }
}

#[tokio::test]
async fn response_is_plain_data() {
    let model = super::calls([("add", json!({"a": 1, "b": 1}))]);
    let response = genkit::generate("go").model(model).tools(tools![add]).await.unwrap();
    let stored = serde_json::to_value(&response).unwrap();
    assert_eq!(stored["finishReason"], "stop");
    assert_eq!(stored["request"]["messages"][2]["role"], "tool");
    assert_eq!(stored["request"]["tools"][0]["inputSchema"]["type"], "object");
    let back: GenerateResponse = serde_json::from_value(stored).unwrap();
    assert_eq!(back, response);
    assert_eq!(back.into_messages().last(), Some(&Message::model("done")));
}

#[tokio::test]
async fn model_that_must_call_a_tool_must_do_so_once() {
    use genkit::model::ToolChoice;
    for forced in [ToolChoice::Required, ToolChoice::tool("add")] {
        let model = super::calls([("add", json!({"a": 1, "b": 1}))]);
        let run = genkit::generate("go").model(model.clone()).tools(tools![add]);
        run.tool_choice(forced.clone()).await.unwrap();
        let mut choices = model.requests().into_iter().map(|request| request.tool_choice);
        assert_eq!(choices.next(), Some(Some(forced)));
        assert_eq!(choices.next(), Some(Some(ToolChoice::Auto)));
    }
}

#[tokio::test]
async fn tool_that_is_chosen_must_be_offered() {
    use genkit::model::ToolChoice;
    let model = ScriptedModel::text("x");
    let run = genkit::generate("go").model(model.clone()).tools(tools![add]);
    let error = run.tool_choice(ToolChoice::tool("ad")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "`.tool_choice(..)` names a tool that is not among `.tools(..)`: Unknown tool: ad. Did you mean `add`?"
    );
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn chosen_tool_is_required_in_genkits_json() {
    use genkit::model::ToolChoice;
    let options = json!({"messages": [], "toolChoice": "required", "toolChoiceName": "add"});
    let read: GenerateOptions = serde_json::from_value(options.clone()).unwrap();
    assert_eq!(read.tool_choice, Some(ToolChoice::tool("add")));
    assert_eq!(serde_json::to_value(&read).unwrap(), options);
}

#[tokio::test]
async fn signal_ends_every_turn_of_a_chat() {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let model = ScriptedModel::new([
        ModelResponse::from_text("one"),
        ModelResponse::from_tool_requests([ToolRequest::new("wait", ())]),
    ]);
    let wait = Tool::builder("wait", "Waits.");
    let wait =
        wait.handler(|_: Context, (): ()| std::future::pending::<Result<(), HandlerError>>());
    let chat = genkit::generate(()).model(model).tools([wait]);
    let mut chat = chat.cancel_on(async { stopped.await.unwrap_or(()) }).chat();
    chat.send("a").await.unwrap();
    stop.send(()).unwrap();
    tokio::task::yield_now().await;
    let error = chat.send("b").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[tokio::test]
async fn conversation_continues_after_the_limit() {
    let limited = genkit::generate("go").model(endless()).tools(tools![add]).max_turns(0);
    let response = limited.await.unwrap();
    let model = ScriptedModel::text("done");
    let run = genkit::generate("Then tell me.").messages(response.messages()).model(model.clone());
    run.await.unwrap();
    let asked = &model.requests()[0].messages;
    assert_eq!(asked.len(), 4, "user, call, its answer, user");
    let answer = asked[2].content[0].as_tool_response().unwrap();
    assert_eq!(answer.error(), Some("this call was not run"), "providers refuse an open call");
    assert_eq!(answer.id, asked[1].tool_requests().next().unwrap().id);
}

#[tokio::test]
async fn key_in_the_settings_is_not_in_the_response() {
    let config = json!({"apiKey": "sk-secret", "temperature": 1});
    let model = ScriptedModel::text("x");
    let response = genkit::generate("go").model(model.clone()).config(config).await.unwrap();
    assert_eq!(model.requests()[0].config["apiKey"], "sk-secret");
    assert!(!serde_json::to_string(&response).unwrap().contains("sk-secret"));
}

#[tokio::test]
async fn middleware_is_found_by_its_name() {
    let run = |reference: Value| {
        let options = json!({"messages": [Message::user("hi")], "use": [reference]});
        let genkit = genkit::Genkit::builder()
            .registry(genkit::Registry::new())
            .default_model(ScriptedModel::text("x"))
            .named_middleware(
                "fixed",
                on_model(|_, _, _| async { Ok::<_, Error>(ModelResponse::from_text("fixed")) }),
            )
            .configured_middleware("said", |config: BTreeMap<String, String>| {
                let text = config.get("text").cloned().unwrap_or_default();
                Ok(on_model(move |_, _, _| {
                    let answer = ModelResponse::from_text(text.clone());
                    async move { Ok::<_, Error>(answer) }
                }))
            })
            .build()
            .unwrap();
        genkit.generate_with(serde_json::from_value(options).unwrap())
    };
    assert_eq!(run(json!("fixed")).await.unwrap().text(), "fixed");
    assert_eq!(run(json!({"name": "fixed"})).await.unwrap().text(), "fixed");
    let said = json!({"name": "said", "config": {"text": "so"}});
    assert_eq!(run(said).await.unwrap().text(), "so");
    assert_eq!(run(json!("said")).await.unwrap().text(), "");
    for (reference, kind, said) in [
        (json!("fixd"), ErrorKind::NotFound, "Unknown middleware: fixd. Did you mean `fixed`?"),
        (json!({"name": "toolApproval"}), ErrorKind::NotFound, "There are: fixed, said"),
        (json!(["fixed"]), ErrorKind::InvalidArgument, "`use` takes names"),
        (
            json!({"name": "fixed", "config": {"a": 1}}),
            ErrorKind::InvalidArgument,
            "takes no settings",
        ),
        (
            json!({"name": "said", "config": {"text": 1}}),
            ErrorKind::InvalidArgument,
            "for the middleware `said`",
        ),
    ] {
        let error = run(reference).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
}

/// Ends the run.
#[tool]
async fn explode() -> genkit::Result<()> {
    tokio::time::sleep(Duration::from_millis(5)).await;
    Err(Error::new(ErrorKind::Internal, "boom").into_fatal())
}

#[tokio::test(start_paused = true)]
async fn finished_sibling_calls_are_kept_if_a_round_fails() {
    let model = super::calls([
        ("add", json!({"a": 1, "b": 1})),
        ("explode", json!({})),
        ("add", json!({"a": 2, "b": 2})),
    ]);
    let run = genkit::generate("go").model(model).tools(tools![add, explode]);
    let done = run.await.unwrap_err().into_partial().unwrap();
    let parts = done.message.clone().unwrap().content;
    let pending: Vec<_> = parts.iter().map(|part| part.metadata().get("pendingOutput")).collect();
    assert_eq!(pending, [Some(&json!(2)), None, Some(&json!(4))]);

    let model = ScriptedModel::text("done");
    let run = genkit::generate("And now?").messages(done.into_messages()).model(model);
    let said = super::outputs(&run.await.unwrap());
    assert_eq!(said, [json!(2), json!({"error": "this call was not run"}), json!(4)]);
}
