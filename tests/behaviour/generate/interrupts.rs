//! Calls that are interrupted, and runs that are resumed, in this process or in another.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use genkit::message::ToolRequest;
use genkit::model::{FinishReason, ModelResponse};
use genkit::testing::ScriptedModel;
use genkit::{
    Answer, Approval, Context, Elicited, ErrorKind, Generate, GenerateResponse, Interrupt, Part,
    Result, Role, Tool, ToolReply, tool, tools,
};
use serde_json::{Value, json};

use super::resuming::{noted, notes};
use super::{calls, outputs};

/// Adds.
#[tool]
pub(super) async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Returns a value that counts as false in JavaScript.
#[tool]
async fn falsy(kind: u8) -> Value {
    [json!(0), json!(""), json!(false), Value::Null][usize::from(kind)].clone()
}

/// A picture.
#[tool]
async fn picture() -> ToolReply<u32> {
    ToolReply::new(7).with_part(Part::image("image/png", [1])).with_meta("by", "hand")
}

/// Deletes a note.
#[tool(needs_approval)]
pub(super) async fn delete(id: u64) -> String {
    format!("{id} is gone")
}

/// Asks the caller.
#[tool]
async fn pay(ctx: &Context, cents: u64) -> Result<Value> {
    let said = ctx.interrupt(json!({"message": "Pay?", "cents": cents})).await?;
    Ok(json!({"paid": cents, "said": said}))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Asks twice at once, then once more.
#[tool]
async fn meet(ctx: &Context) -> Result<String> {
    let (one, two) = tokio::join!(
        ctx.elicit::<Name>("First?").key("one").into_future(),
        ctx.elicit::<Name>("Second?").key("two").into_future(),
    );
    let (one, two) = (one?.accepted()?, two?.accepted()?);
    let three = match ctx.elicit::<Name>("Third?").await? {
        Elicited::Accepted(name) => name.name,
        other => format!("{}", matches!(other, Elicited::Declined)),
    };
    Ok(format!("{} {} {three}", one.name, two.name))
}

/// Charges once, then is interrupted.
fn buy(charged: &Arc<AtomicU32>) -> Tool {
    let charged = Arc::clone(charged);
    Tool::builder("buy", "Buys.").handler(move |ctx: Context, _: Value| {
        let charged = Arc::clone(&charged);
        async move {
            let receipt: u32 = ctx
                .once("charge", async {
                    Ok::<_, genkit::Error>(100 + charged.fetch_add(1, Ordering::SeqCst))
                })
                .await?;
            ctx.confirm("Send it?").await?;
            Ok(receipt)
        }
    })
}

/// A function that answers an interrupt for the user.
pub(super) type Answering = fn(&Interrupt) -> Answer;

/// Returns the response after a round trip through JSON, as if in another process.
pub(super) fn stored(response: &GenerateResponse) -> GenerateResponse {
    serde_json::from_str(&serde_json::to_string(response).unwrap()).unwrap()
}

pub(super) async fn ask(model: &ScriptedModel, tools: &[Tool]) -> GenerateResponse {
    let response = genkit::generate("go").model(model.clone()).tools(tools).await.unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Interrupted));
    assert!(response.is_interrupted());
    stored(&response)
}

pub(super) fn go_on(
    response: GenerateResponse,
    answers: Vec<Answer>,
    model: &ScriptedModel,
    tools: &[Tool],
) -> Generate {
    genkit::resume_with_answers(response, answers).model(model.clone()).tools(tools)
}

#[tokio::test]
async fn interrupt_stops_the_run_and_shows_what_is_asked() {
    let model = calls([("pay", json!({"cents": 5}))]);
    let response = ask(&model, &tools![pay]).await;
    assert_eq!(model.requests().len(), 1, "the model is not asked again");
    assert_eq!(
        response.finish_message.as_deref(),
        Some("One or more tool calls resulted in interrupts.")
    );
    let [question] = &response.interrupts()[..] else { panic!("one question") };
    assert_eq!(question.tool_request().name, "pay");
    assert_eq!(question.message(), Some("Pay?"));
    assert_eq!(question.metadata(), Some(&json!({"message": "Pay?", "cents": 5})));
    let part = &response.message.as_ref().unwrap().content[0];
    assert_eq!(part.metadata()["interrupt"]["cents"], 5, "Genkit's tools see it");
}

#[tokio::test]
async fn it_is_answered_by_restart_respond_and_deny() {
    let tools = tools![pay];
    let answers: [(Answering, Value); 5] = [
        (|q| q.restart(json!("yes")), json!({"paid": 5, "said": "yes"})),
        (|q| q.restart(Value::Null), json!({"paid": 5, "said": null})),
        (|q| q.restart_with(1, json!({"cents": 3})), json!({"paid": 3, "said": 1})),
        (|q| q.respond(json!("paid in cash")), json!("paid in cash")),
        (|q| q.decline_with("no money"), json!({"error": "the user did not approve: no money"})),
    ];
    for (answer, output) in answers {
        let model = calls([("pay", json!({"cents": 5}))]);
        let response = ask(&model, &tools).await;
        let answer = answer(&response.interrupts()[0]);
        let done = go_on(response, vec![answer], &model, &tools).await.unwrap();
        assert_eq!(outputs(&done), [output]);
        assert_eq!(done.text(), "done");
    }
}

#[tokio::test]
async fn history_tells_what_was_resumed() {
    let model = calls([("pay", json!({"cents": 5}))]);
    let response = ask(&model, &tools![pay]).await;
    let answer = response.interrupts()[0].restart_with("ok", json!({"cents": 3}));
    let done = go_on(response, vec![answer], &model, &tools![pay]).await.unwrap();
    let messages = done.messages();
    let metadata = messages[1].content[0].metadata();
    assert_eq!(metadata["resolvedInterrupt"]["message"], "Pay?");
    for gone in ["interrupt", "suspended", "pendingOutput"] {
        assert!(!metadata.contains_key(gone), "{gone}");
    }
    assert_eq!(messages[2].metadata["resumed"], true);
    assert_eq!(messages[2].role, Role::Tool);
}

#[tokio::test]
async fn approval_is_asked_before_the_body_and_after_the_arguments_are_read() {
    let tools = tools![delete];
    let model = calls([("delete", json!({"id": "x"}))]);
    let response = genkit::generate("go").model(model).tools(&tools).await.unwrap();
    assert!(outputs(&response)[0]["error"].as_str().unwrap().contains("at `id`"));

    let answers: [(Answering, Value); 3] = [
        (Interrupt::approve, json!("7 is gone")),
        (|q| q.approve_with(json!({"id": 8})), json!("8 is gone")),
        (
            |q| q.decline_with("it is mine"),
            json!({"error": "the user did not approve: it is mine"}),
        ),
    ];
    for (answer, output) in answers {
        let model = calls([("delete", json!({"id": 7}))]);
        let response = ask(&model, &tools).await;
        let question = &response.interrupts()[0];
        assert!(question.is_approval());
        assert_eq!(question.message(), Some("Allow `delete` to run with {\"id\":7}?"));
        let answer = answer(question);
        let done = go_on(response, vec![answer], &model, &tools).await.unwrap();
        assert_eq!(outputs(&done), [output]);
    }
}

#[tokio::test]
async fn genkits_own_json_resumes_too() {
    let tools = tools![delete, pay];
    let model = calls([("delete", json!({"id": 7})), ("pay", json!({"cents": 1}))]);
    let response = ask(&model, &tools).await;
    let parts = response.message.as_ref().unwrap().content.clone();
    let mut approved = parts[0].clone();
    approved.metadata_mut().insert("resumed".into(), json!({"toolApproved": true}));
    let restarted = parts[1].clone().with_metadata("resumed", json!({"by": "dev ui"}));
    let options = serde_json::from_value(json!({
        "messages": response.messages(),
        "resume": {"restart": [approved, restarted], "metadata": {"who": "ada"}},
    }));
    let genkit = genkit::Genkit::default();
    let done = genkit.generate_with(options.unwrap()).model(model.clone()).tools(&tools);
    let done = done.await.unwrap();
    assert_eq!(outputs(&done), [json!("7 is gone"), json!({"paid": 1, "said": {"by": "dev ui"}})]);
    assert_eq!(done.messages()[2].metadata["resumed"], json!({"who": "ada"}));
}

#[tokio::test]
async fn approval_without_the_word_is_asked_again() {
    let tools = tools![delete];
    let model = calls([("delete", json!({"id": 7}))]);
    let response = ask(&model, &tools).await;
    let part = response.message.as_ref().unwrap().content[0].clone();
    let mut options = genkit::generate::GenerateOptions::default();
    options.messages = response.messages();
    let resume = json!({"restart": [part.with_metadata("resumed", true)]});
    options.resume = serde_json::from_value(resume).unwrap();
    let genkit = genkit::Genkit::default();
    let again = genkit.generate_with(options).model(model).tools(&tools).await.unwrap();
    assert!(again.is_interrupted());
}

#[tokio::test]
async fn finished_siblings_keep_their_answers_whatever_they_are() {
    let tools = tools![add, falsy, picture, pay];
    let model = calls([
        ("add", json!({"a": 1, "b": 2})),
        ("falsy", json!({"kind": 0})),
        ("pay", json!({"cents": 5})),
        ("falsy", json!({"kind": 1})),
        ("falsy", json!({"kind": 2})),
        ("falsy", json!({"kind": 3})),
        ("picture", json!({})),
    ]);
    let response = ask(&model, &tools).await;
    let asked = response.message.clone().unwrap();
    assert_eq!(asked.content[0].metadata()["pendingOutput"], 3);
    assert_eq!(asked.content[1].metadata()["pendingOutput"], 0);
    let answer = response.interrupts()[0].restart("ok");
    let done = go_on(response, vec![answer], &model, &tools).await.unwrap();
    let paid = json!({"paid": 5, "said": "ok"});
    assert_eq!(
        outputs(&done),
        [json!(3), json!(0), paid, json!(""), json!(false), Value::Null, json!(7)]
    );
    let messages = done.messages();
    let last = messages[2].content.last().unwrap();
    assert_eq!(last.as_tool_response().unwrap().content, [Part::image("image/png", [1])]);
    assert_eq!(
        (&last.metadata()["source"], &last.metadata()["by"]),
        (&json!("pending"), &json!("hand"))
    );
}

#[tokio::test]
async fn all_open_calls_are_answered_or_none() {
    let tools = tools![pay, add];
    let model = calls([
        ("pay", json!({"cents": 1})),
        ("add", json!({"a": 1, "b": 1})),
        ("pay", json!({"cents": 2})),
    ]);
    let response = ask(&model, &tools).await;
    let questions = response.interrupts();
    assert_eq!(questions.len(), 2);
    let one = vec![questions[0].restart("ok")];
    let error = go_on(response.clone(), one, &model, &tools).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let open = questions[1].tool_request().id.clone().unwrap();
    assert!(error.to_string().contains(&format!("unanswered: `pay#{open}`")), "{error}");
    assert_eq!(model.requests().len(), 1, "nothing was done");

    let mixed = vec![questions[1].respond("by hand"), questions[0].restart("ok")];
    let done = go_on(response, mixed, &model, &tools).await.unwrap();
    assert_eq!(outputs(&done), [json!({"paid": 1, "said": "ok"}), json!(2), json!("by hand")]);
}

#[tokio::test]
async fn answers_to_nothing_are_errors() {
    let model = calls([("pay", json!({"cents": 1}))]);
    let response = ask(&model, &tools![pay]).await;
    let stray = Answer::respond(ToolRequest::new("pay", ()).with_id("other").respond(1));
    let answers = vec![response.interrupts()[0].restart("ok"), stray.clone()];
    let error = go_on(response, answers, &model, &tools![pay]).await.unwrap_err();
    assert!(error.to_string().contains("no open call `pay#other`"), "{error}");

    let done = genkit::generate("hi").model(ScriptedModel::text("x")).await.unwrap();
    let error = genkit::resume_with_answers(done, [stray]).model(model).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
}

#[tokio::test]
async fn run_that_asks_again_is_interrupted_again() {
    let tools = tools![meet, add];
    let model = calls([("meet", json!({})), ("add", json!({"a": 1, "b": 1}))]);
    let response = ask(&model, &tools).await;
    let questions = response.interrupts();
    let keys: Vec<&str> = questions.iter().map(Interrupt::key).collect();
    assert_eq!(keys, ["one", "two"], "asked together, shown together");
    assert_eq!(questions[0].schema().unwrap()["properties"]["name"]["type"], "string");

    let answers =
        questions.iter().map(|q| q.accept(json!({"name": format!("<{}>", q.key())}))).collect();
    let again = stored(&go_on(response, answers, &model, &tools).await.unwrap());
    let [third] = &again.interrupts()[..] else { panic!("one more question") };
    assert_eq!(third.message(), Some("Third?"));

    let done = go_on(again.clone(), vec![third.accept(json!({"name": "z"}))], &model, &tools).await;
    assert_eq!(outputs(&done.unwrap()), [json!("<one> <two> z"), json!(2)]);
}

#[tokio::test]
async fn declined_question_is_an_answer() {
    let model = calls([("meet", json!({}))]);
    let response = ask(&model, &tools![meet]).await;
    let questions = response.interrupts();
    let answers = vec![questions[0].decline_with(""), questions[1].cancel()];
    let done = go_on(response, answers, &model, &tools![meet]).await.unwrap();
    assert_eq!(outputs(&done), [json!({"error": "the user declined to answer"})]);
}

#[tokio::test]
async fn once_result_is_not_recomputed() {
    let charged = Arc::new(AtomicU32::new(0));
    let model = calls([("buy", json!({}))]);
    let response = ask(&model, &[buy(&charged)]).await;
    let answer = response.interrupts()[0].approve();
    let done = go_on(response, vec![answer], &model, &[buy(&charged)]).await.unwrap();
    assert_eq!(outputs(&done), [json!(100)]);
    assert_eq!(charged.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn tool_without_a_body_always_asks() {
    let tools = [Tool::builder("ask_user", "Asks.")
        .input_schema(json!({"type": "object"}))
        .output_schema(json!({"type": "string"}))
        .interrupts()];
    let model = calls([("ask_user", json!({"question": "Which?"}))]);
    let response = ask(&model, &tools).await;
    let question = response.interrupts().remove(0);
    assert_eq!(question.tool_request().input["question"], "Which?");
    let restarted = go_on(response.clone(), vec![question.restart("x")], &model, &tools).await;
    let error = restarted.unwrap_err().to_string();
    assert!(error.contains("without an implementation"), "{error}");
    let done =
        go_on(response, vec![question.respond("the red one")], &model, &tools).await.unwrap();
    assert_eq!(outputs(&done), ["the red one"]);
}

#[tokio::test]
async fn policy_asks_for_tools_that_do_not_ask_themselves() {
    let tools = tools![add, delete];
    let model = calls([("add", json!({"a": 1, "b": 2})), ("delete", json!({"id": 7}))]);
    let policy = |call: &genkit::middleware::ToolCall| match call.tool().map(Tool::name) {
        Some("add") => Approval::ask("Really add?"),
        _ => Approval::Allow,
    };
    let run = genkit::generate("go").model(model.clone()).tools(&tools).approval(policy);
    let response = stored(&run.await.unwrap());
    let [question] = &response.interrupts()[..] else { panic!("one question") };
    assert_eq!(question.message(), Some("Really add?"));
    let answer = question.approve();
    let done = go_on(response, vec![answer], &model, &tools).approval(policy).await.unwrap();
    assert_eq!(outputs(&done), [json!(3), json!("7 is gone")]);
}

#[tokio::test]
async fn resumed_round_does_not_count() {
    let script = [
        ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({"cents": 1}))]),
        ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 1, "b": 1}))]),
        ModelResponse::from_text("done"),
    ];
    let model = ScriptedModel::new(script);
    let tools = tools![pay, add];
    let response = ask(&model, &tools).await;
    let answer = response.interrupts()[0].restart("ok");
    let done = go_on(response, vec![answer], &model, &tools).max_turns(1).await.unwrap();
    assert_eq!(done.text(), "done");
}

#[tokio::test]
async fn resumed_run_streams_the_answers_first() {
    let model = calls([("pay", json!({"cents": 1}))]);
    let response = ask(&model, &tools![pay]).await;
    let answer = response.interrupts()[0].restart("ok");
    let mut stream = go_on(response, vec![answer], &model, &tools![pay]).stream();
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.unwrap();
        seen.push((chunk.role.unwrap(), chunk.index.unwrap()));
    }
    assert_eq!(seen, [(Role::Tool, 0), (Role::Model, 1)]);
}

#[tokio::test]
async fn run_that_was_suspended_by_a_newer_program_is_rejected() {
    let model = calls([("pay", json!({"cents": 1}))]);
    let mut response = ask(&model, &tools![pay]).await;
    let answer = response.interrupts()[0].restart("ok");
    let part = &mut response.message.as_mut().unwrap().content[0];
    part.metadata_mut()["suspended"]["version"] = json!(99);
    let error = go_on(response, vec![answer], &model, &tools![pay]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    assert!(error.to_string().contains("schema version 99"), "{error}");
}

#[tokio::test]
async fn settings_of_the_interrupted_run_are_kept() {
    let script = [
        ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({"cents": 1}))]),
        ModelResponse::from_text(r#"{"name": "Ada"}"#),
    ];
    let model = ScriptedModel::new(script);
    let run = genkit::generate("go").system("s").model(model.clone()).tools(tools![pay]);
    let response = stored(&run.temperature(0.5).output::<Name>().await.unwrap());
    let answer = response.interrupts()[0].restart("ok");
    let done = go_on(response, vec![answer], &model, &tools![pay]).await.unwrap();
    assert_eq!(done.output::<Name>().unwrap().name, "Ada");
    let [first, second] = &model.requests()[..] else { panic!("two calls") };
    assert_eq!(first.config, second.config);
    assert_eq!(first.output, second.output);
    assert_eq!(first.messages[..2], second.messages[..2]);
}

/// Asks the caller, and then takes a while.
#[tool]
async fn wait(ctx: &Context) -> Result<Value> {
    let said = ctx.interrupt("May I?").await?;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    Ok(said)
}

#[tokio::test(start_paused = true)]
async fn resumed_run_that_fails_can_be_resumed_again() {
    let tools = tools![wait, add];
    let model = calls([("wait", json!({})), ("add", json!({"a": 1, "b": 1}))]);
    let response = ask(&model, &tools).await;
    let kept = response.clone();
    let answer = response.interrupts()[0].restart("ok");

    // Without answers, the response that was passed in is returned.
    let error = go_on(response, vec![], &model, &tools).await.unwrap_err();
    let back = error.into_partial().expect("it is in the error");
    assert_eq!((back.is_interrupted(), back.messages()), (true, kept.messages()));

    // The run is stopped while the tool runs, and the tool stops as well.
    let run = go_on(back, vec![answer.clone()], &model, &tools);
    let error = run.deadline(std::time::Duration::from_millis(10)).await.unwrap_err();
    let back = error.into_partial().expect("it is in the error");
    assert_eq!((back.is_interrupted(), back.interrupts().len()), (true, 1));

    let done = go_on(stored(&back), vec![answer], &model, &tools).await.unwrap();
    assert_eq!(outputs(&done), [json!("ok"), json!(2)]);
}

fn asks_for_all(call: &genkit::middleware::ToolCall) -> Approval {
    Approval::ask(format!("Run {}?", call.request().name))
}

#[tokio::test]
async fn denied_call_does_not_run() {
    // A policy caused the interrupt, and is missing when the run is resumed.
    let model = calls([("add", json!({"a": 1, "b": 2}))]);
    let run = genkit::generate("go").model(model.clone()).tools(tools![add]);
    let response = stored(&run.approval(asks_for_all).await.unwrap());
    let denied = response.interrupts()[0].decline_with("not today");
    let done = go_on(response, vec![denied], &model, &tools![add]).await.unwrap();
    assert_eq!(outputs(&done), [json!({"error": "the user did not approve: not today"})]);

    // Another program suspended the run, without recording the question.
    let model = calls([("add", json!({"a": 1, "b": 2}))]);
    let run = genkit::generate("go").model(model.clone()).tools(tools![add]);
    let mut response = stored(&run.approval(asks_for_all).await.unwrap());
    let part = &mut response.message.as_mut().unwrap().content[0];
    part.metadata_mut().shift_remove("suspended");
    let denied = response.interrupts()[0].decline_with("no");
    let done = go_on(response, vec![denied], &model, &tools![add]).await.unwrap();
    assert_eq!(outputs(&done), [json!({"error": "the user did not approve: no"})]);
}

/// Deletes notes, whose number changes.
fn purge(notes: &Arc<AtomicU32>) -> Tool {
    let notes = Arc::clone(notes);
    Tool::builder("purge", "Deletes all notes.").handler(move |ctx: Context, _: Value| {
        let notes = notes.load(Ordering::SeqCst);
        async move {
            ctx.confirm(format!("Delete {notes} notes?")).await?;
            Ok(notes)
        }
    })
}

#[tokio::test]
async fn approval_is_for_what_was_shown() {
    let notes = Arc::new(AtomicU32::new(3));
    let tools = [purge(&notes)];
    let model = calls([("purge", json!({}))]);
    let response = ask(&model, &tools).await;
    let answer = response.interrupts()[0].approve();
    notes.store(3000, Ordering::SeqCst);
    let again = go_on(response, vec![answer], &model, &tools).await.unwrap();
    assert_eq!(
        again.interrupts()[0].message(),
        Some("Delete 3000 notes?"),
        "the question is asked again"
    );
}

#[tokio::test]
async fn answer_to_another_question_approves_nothing() {
    let notes = Arc::new(AtomicU32::new(3));
    let tools = [purge(&notes)];
    let model = calls([("purge", json!({}))]);
    let mut response = ask(&model, &tools).await;
    // A program that knows only Genkit's JSON marks the interrupt as resolved in this way.
    let part = &mut response.message.as_mut().unwrap().content[0];
    part.metadata_mut().shift_remove("suspended");
    let part = part.clone().with_metadata("resumed", true);
    let mut options = genkit::generate::GenerateOptions::default();
    options.messages = response.messages();
    options.resume = serde_json::from_value(json!({"restart": [part]})).unwrap();
    let genkit = genkit::Genkit::default();
    let again = genkit.generate_with(options).model(model).tools(&tools).await.unwrap();
    assert_eq!(again.interrupts()[0].message(), Some("Delete 3 notes?"));
}

#[tokio::test]
async fn only_an_open_question_can_be_answered() {
    let model = calls([("meet", json!({}))]);
    let response = ask(&model, &tools![meet]).await;
    let name = |name: &str| json!({"action": "accept", "content": {"name": name}});
    let early = json!({"one": name("a"), "two": name("b"), "q3": name("nobody asked")});
    let part = response.message.as_ref().unwrap().content[0].clone();
    let restart = part.with_metadata("resumed", true).with_metadata("answers", early);
    let mut options = genkit::generate::GenerateOptions::default();
    options.messages = response.messages();
    options.resume = serde_json::from_value(json!({"restart": [restart]})).unwrap();
    let genkit = genkit::Genkit::default();
    let run = genkit.generate_with(options).model(model).tools(tools![meet]);
    assert_eq!(run.await.unwrap().interrupts()[0].message(), Some("Third?"));
}

#[tokio::test]
async fn indistinguishable_calls_are_rejected() {
    let model = calls([("pay", json!({"cents": 1})), ("pay", json!({"cents": 2}))]);
    let mut response = ask(&model, &tools![pay]).await;
    for part in &mut response.message.as_mut().unwrap().content {
        if let Part::ToolRequest { tool_request, .. } = part {
            tool_request.id = None;
        }
    }
    let answers = response.interrupts().iter().map(|question| question.restart("ok")).collect();
    let error = go_on(response, answers, &model, &tools![pay]).await.unwrap_err();
    assert!(error.to_string().contains("two open calls to `pay`"), "{error}");
}

#[tokio::test]
async fn restart_does_not_approve_by_default() {
    let model = calls([("delete", json!({"id": 7}))]);
    let response = ask(&model, &tools![delete]).await;
    let question = response.interrupts().remove(0);
    let no = question.restart(json!({"toolApproved": false}));
    let done = go_on(response.clone(), vec![no], &model, &tools![delete]).await.unwrap();
    assert!(outputs(&done)[0]["error"].as_str().unwrap().contains("did not approve"));
    let model = calls([("unused", json!({}))]);
    let yes = question.restart(json!({"toolApproved": true}));
    let done = go_on(response, vec![yes], &model, &tools![delete]).await.unwrap();
    assert_eq!(outputs(&done)[0], "7 is gone");
}

/// Writes with the model's help, and asks before it sends.
#[tool]
async fn mail(ctx: &Context) -> Result<String> {
    let draft = ctx.sample("Write!").await?.text();
    ctx.confirm(format!("Send `{draft}`?")).await?;
    Ok(draft)
}

#[tokio::test]
async fn sampled_text_is_replayed_on_resume() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("mail", json!({}))]),
        ModelResponse::from_text("draft A"),
        ModelResponse::from_text("done"),
    ]);
    let response = ask(&model, &tools![mail]).await;
    let question = response.interrupts().remove(0);
    assert_eq!(question.message(), Some("Send `draft A`?"));
    let done = go_on(response, vec![question.approve()], &model, &tools![mail]).await.unwrap();
    assert_eq!(outputs(&done), ["draft A"]);
}

/// Asks twice about its number.
#[tool(needs_approval)]
pub(super) async fn send(ctx: &Context, euros: u32) -> Result<String> {
    ctx.interrupt(format!("Really {euros}?")).await?;
    Ok(format!("sent {euros}"))
}

/// Ends the run, when it is run again.
#[tool]
async fn fatal(ctx: &Context) -> Result<()> {
    ctx.interrupt("Go on?").await?;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    Err(genkit::Error::new(ErrorKind::Internal, "boom").into_fatal())
}

#[tokio::test(start_paused = true)]
async fn edited_call_stays_edited_if_a_sibling_fails() {
    let tools = tools![send, fatal];
    let model = calls([("send", json!({"euros": 500})), ("fatal", json!({}))]);
    let response = ask(&model, &tools).await;
    let questions = response.interrupts();
    let answers = vec![questions[0].approve_with(json!({"euros": 20})), questions[1].restart("ok")];
    let error = go_on(response, answers, &model, &tools).await.unwrap_err();
    let back = stored(&error.into_partial().expect("it is in the error"));
    let questions = back.interrupts();
    assert_eq!(questions[0].metadata(), Some(&json!("Really 20?")));
    let answers = vec![questions[0].restart("yes"), questions[1].respond("never mind")];
    let done = go_on(back, answers, &model, &tools).await.unwrap();
    assert_eq!(outputs(&done), [json!("sent 20"), json!("never mind")]);
    let call = &done.messages()[1].content[0];
    assert_eq!(call.as_tool_request().unwrap().input, json!({"euros": 20}));
    assert_eq!(notes(&done), [noted(json!({"euros": 500}))]);
}
