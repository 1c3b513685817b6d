//! Invalid output is returned to the model with the reason: `extract`, `validate`, `output_retries`.

use genkit::action::PromptOptions;
use genkit::message::ToolRequest;
use genkit::model::{FinishReason, GenerateChunk, ModelResponse, Usage};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Context, Error, ErrorKind, Format, Message, Prompt, Role, tool, tools};
use serde_json::{Map, Value, json};

#[derive(Clone, Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Dish {
    name: String,
    #[schemars(range(min = 1, max = 600))]
    minutes: u32,
}

const SOUP: &str = r#"{"name": "soup", "minutes": 20}"#;
const STEW: &str = r#"{"name": "stew", "minutes": 120}"#;

fn soup() -> Dish {
    Dish { name: "soup".to_owned(), minutes: 20 }
}

fn quick(dish: &Dish) -> Result<(), String> {
    if dish.minutes <= 30 { Ok(()) } else { Err(format!("{} minutes are too many", dish.minutes)) }
}

/// Returns the messages that a model received for each invalid output.
fn reasons(model: &ScriptedModel) -> Vec<String> {
    let last = model.requests().pop().unwrap_or_default();
    let told = last.messages.iter().filter(|m| m.metadata.contains_key("outputRetry"));
    told.map(Message::text).collect()
}

fn told(why: &str) -> String {
    format!("The output was rejected: {why}. Send the complete output again.")
}

#[tokio::test]
async fn answer_that_fits_is_the_value() {
    let model = ScriptedModel::text(SOUP);
    assert_eq!(
        genkit::generate("A dish?").model(model.clone()).extract::<Dish>().await.unwrap(),
        soup()
    );
    assert_eq!(model.requests().len(), 1);
    assert!(model.requests()[0].output.schema.is_some());
}

#[tokio::test]
async fn each_kind_of_misfit_goes_back_with_its_reason() {
    for (answer, why) in [
        (
            "I cannot cook.",
            "the response should be JSON, but it contains no complete JSON: \"I cannot cook.\"",
        ),
        (r#"{"name": "soup"}"#, "missing field `minutes`"),
        (
            r#"{"name": "soup", "minutes": "twenty"}"#,
            "at `minutes`: invalid type: string \"twenty\", expected u32",
        ),
        (r#"{"name": "soup", "minutes": 0}"#, "at `minutes`: 0 is less than the minimum of 1"),
        (STEW, "120 minutes are too many"),
    ] {
        let model = ScriptedModel::texts([answer, SOUP]);
        let run = genkit::generate("A dish?").model(model.clone()).extract::<Dish>();
        assert_eq!(run.validate(quick).await.unwrap(), soup(), "{answer}");
        assert_eq!(reasons(&model), [told(why)]);
        let last = model.requests().pop().unwrap();
        assert_eq!(last.messages[1].text(), answer, "the model receives its own response");
    }
}

#[tokio::test]
async fn retries_are_counted_in_usage_and_kept_in_the_history() {
    let usage = || Usage::default().with_input_tokens(10).with_output_tokens(2);
    let answer = |text: &str| ModelResponse::from_text(text).with_usage(usage());
    let model = ScriptedModel::new([answer("no"), answer(STEW), answer(SOUP)]);
    let run = genkit::generate("A dish?").model(model).extract::<Dish>().output_retries(2);
    let (dish, response) = run.validate(quick).with_response().await.unwrap();
    assert_eq!(dish, soup());
    assert_eq!((response.usage.input_tokens, response.usage.output_tokens), (Some(30), Some(6)));
    let roles: Vec<Role> = response.messages().iter().map(|message| message.role).collect();
    use Role::{Model, User};
    assert_eq!(roles, [User, Model, User, Model, User, Model]);
    assert_eq!(response.messages()[4].metadata["outputRetry"], 2);
}

#[tokio::test]
async fn exhausted_retries_error_contains_reason_and_response() {
    for (retries, calls, said) in [
        (0, 1, "the output was rejected: missing field `minutes`; the text is: "),
        (1, 2, "the output was rejected after one retry: missing field `minutes`; "),
        (3, 4, "the output was rejected after 3 retries: missing field `minutes`; "),
    ] {
        let model = ScriptedModel::texts([r#"{"name": "soup"}"#; 9]);
        let run = genkit::generate("A dish?").model(model.clone()).extract::<Dish>();
        let error = run.output_retries(retries).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().starts_with(said), "{error}");
        assert_eq!(model.requests().len(), calls);
        let done = error.into_partial().unwrap();
        assert_eq!(done.messages().len(), 2 * calls);
        assert_eq!(done.text(), r#"{"name": "soup"}"#);
    }
}

#[tokio::test]
async fn without_extract_nothing_is_checked_unless_it_is_asked_for() {
    let model = ScriptedModel::texts(["no", "no", SOUP]);
    let ask = || genkit::generate("A dish?").output::<Dish>().model(model.clone());
    let response = ask().await.unwrap();
    assert!(response.output::<Dish>().is_err(), "as ever: an error of reading it");
    let response = ask().output_retries(1).await.unwrap();
    assert_eq!(response.output::<Dish>().unwrap(), soup());
    let text = ScriptedModel::text("no");
    genkit::generate("hi").model(text).output_retries(3).await.unwrap(); // any text is valid
}

#[tokio::test]
async fn schema_by_hand_is_checked_as_a_whole() {
    let schema = json!({
        "type": "object", "required": ["n"],
        "properties": {"n": {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}}},
    });
    let model = ScriptedModel::texts(["{}", r#"{"n": 1, "list": ["a", 2]}"#, r#"{"n": 1}"#]);
    let run = genkit::generate("go").output_schema(schema).output_retries(2).model(model.clone());
    assert_eq!(run.await.unwrap().output_value().unwrap(), json!({"n": 1}));
    let reasons = reasons(&model);
    assert!(
        reasons[0].contains("is a required property") && reasons[1].contains("at `list[1]`: "),
        "{reasons:?}"
    );
}

#[tokio::test]
async fn validators_see_every_format() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let model = ScriptedModel::texts([r#"["a"]"#, r#"["a", "b"]"#]);
    let run = genkit::generate("go").format(Format::Array).output_schema(list).model(model);
    let run = run.validate(|items: &Vec<String>| match items.len() {
        2.. => Ok(()),
        few => Err(format!("{few} is too few")),
    });
    assert_eq!(run.await.unwrap().output_value().unwrap(), json!(["a", "b"]));

    let model = ScriptedModel::texts(["short", "long enough"]);
    let run = genkit::generate("go").model(model.clone()).validate(|value: &Value| {
        let long = value.as_str().is_some_and(|text| text.len() > 6);
        if long { Ok(()) } else { Err("longer, please") }
    });
    assert_eq!(run.await.unwrap().text(), "long enough");
    assert_eq!(reasons(&model), [told("longer, please")]);
}

#[tokio::test]
async fn validators_may_await_and_all_of_them_count() {
    let model = ScriptedModel::texts([STEW, r#"{"name": "gruel", "minutes": 5}"#, SOUP]);
    let run = genkit::generate("A dish?").model(model.clone()).validate(quick).extract::<Dish>();
    let run = run.output_retries(2).validate_async(|dish| async move {
        tokio::task::yield_now().await;
        if dish.name == "gruel" { Err(Error::not_found("nobody eats gruel")) } else { Ok(()) }
    });
    assert_eq!(run.await.unwrap(), soup());
    assert_eq!(reasons(&model), [told("120 minutes are too many"), told("nobody eats gruel")]);
}

#[tokio::test]
async fn fatal_error_of_a_validator_ends_the_run() {
    let model = ScriptedModel::texts([SOUP, SOUP]);
    let run = genkit::generate("A dish?").model(model.clone()).extract::<Dish>();
    let down =
        |_: &Dish| Err(Error::new(ErrorKind::Unavailable, "the pantry is down").into_fatal());
    let error = run.validate(down).await.unwrap_err();
    assert_eq!((error.kind(), model.requests().len()), (ErrorKind::Unavailable, 1));
    assert_eq!(error.partial().unwrap().text(), SOUP);
}

#[tokio::test]
async fn truncated_output_is_not_retried() {
    let cut = ModelResponse::from_text(r#"{"name": "soup", "minutes": 2"#);
    let model = ScriptedModel::new([cut.with_finish_reason(FinishReason::Length)]);
    let error = genkit::generate("A dish?").model(model).extract::<Dish>().await.unwrap_err();
    let said = error.to_string();
    assert!(said.contains("cut off at the token limit; raise `.max_output_tokens(..)`"), "{said}");
    assert_eq!(error.partial().unwrap().finish_reason, Some(FinishReason::Length));
}

#[tokio::test]
async fn reason_is_cut_to_what_a_model_can_use() {
    let model = ScriptedModel::texts(["x", "y"]);
    let run = genkit::generate("go").model(model.clone()).validate(|text: &String| match &**text {
        "x" => Err("é".repeat(100_000)),
        _ => Ok(()),
    });
    run.await.unwrap();
    assert!(reasons(&model)[0].len() < 5_000);
}

#[tokio::test]
async fn stream_reports_that_earlier_chunks_are_void() {
    let streamed = |pieces: [&str; 2]| {
        let whole = ModelResponse::from_text(pieces.concat());
        Scripted::chunks(pieces.map(GenerateChunk::from_text), whole)
    };
    let model = ScriptedModel::new([
        streamed([r#"{"name": "st"#, r#"ew", "minutes": 120}"#]),
        streamed([r#"{"name": "so"#, r#"up", "minutes": 20}"#]),
    ]);
    let run = genkit::generate("A dish?").model(model).extract::<Dish>().validate(quick);
    let mut stream = run.stream();
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.unwrap();
        let name = stream.output_value().map(|value| value["name"].clone());
        match chunk.output_retry() {
            Some(retry) => {
                assert_eq!((retry.attempt, retry.index), (1, 0));
                assert_eq!((chunk.role, chunk.content.len()), (Some(Role::User), 0));
                assert_eq!(
                    (stream.text(), name),
                    ("", None),
                    "the value starts from the beginning"
                );
                seen.push(retry.reason);
            }
            None => seen.push(format!("{} {}", chunk.index.unwrap(), name.unwrap())),
        }
    }
    let why = "120 minutes are too many";
    assert_eq!(seen, ["0 \"st\"", "0 \"stew\"", why, "2 \"so\"", "2 \"soup\""]);
    assert_eq!(stream.response().await.unwrap().output::<Dish>().unwrap(), soup());
}

/// Tells how long a dish takes.
#[tool]
async fn minutes(name: String) -> u32 {
    if name == "soup" { 20 } else { 120 }
}

/// Buys what a dish needs.
#[tool(needs_approval)]
async fn buy(name: String) -> String {
    format!("bought for {name}")
}

fn call(tool: &str) -> ModelResponse {
    ModelResponse::from_tool_requests([ToolRequest::new(tool, json!({"name": "soup"}))])
}

#[tokio::test]
async fn tools_run_before_and_after_a_retry() {
    let text = |text: &str| ModelResponse::from_text(text);
    let model =
        ScriptedModel::new([call("minutes"), text("20 minutes"), call("minutes"), text(SOUP)]);
    let run = genkit::generate("A dish?").model(model.clone()).tools(tools![minutes]);
    let (dish, response) = run.extract::<Dish>().with_response().await.unwrap();
    assert_eq!((dish, model.tool_outputs("minutes").len()), (soup(), 2));
    assert_eq!(response.messages().len(), 8);
}

#[tokio::test]
async fn reaching_the_limit_on_turns_is_an_error() {
    let model = ScriptedModel::new([call("minutes"), call("minutes")]);
    let run = genkit::generate("A dish?").model(model).tools(tools![minutes]).max_turns(1);
    let error = run.extract::<Dish>().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Aborted);
    assert_eq!(error.partial().unwrap().tool_requests().len(), 1);
}

#[tokio::test]
async fn interrupted_run_is_resumed_and_extracted() {
    let text = |text: &str| ModelResponse::from_text(text);
    let model = ScriptedModel::new([text("hm"), call("buy"), text("bought"), text(SOUP)]);
    let run = || genkit::generate("A dish?").model(model.clone()).tools(tools![buy]);
    let error = run().extract::<Dish>().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    assert!(error.to_string().contains("waits for answers"), "{error}");
    let stored = serde_json::to_string(&error.into_partial().unwrap()).unwrap();
    let interrupted = serde_json::from_str(&stored).unwrap();
    let resumed = run().resume(interrupted, |question| question.approve()).extract::<Dish>();
    assert_eq!(resumed.await.unwrap(), soup());
    assert_eq!(reasons(&model).len(), 2, "one before it was interrupted, one after");
}

#[tokio::test]
async fn returned_tool_requests_are_not_a_value() {
    let run = genkit::generate("A dish?").model(ScriptedModel::new([call("minutes")]));
    let run = run.tools(tools![minutes]).return_tool_requests(true).extract::<Dish>();
    let error = run.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    assert_eq!(error.partial().unwrap().tool_requests()[0].name, "minutes");
}

#[tokio::test]
async fn prompt_and_a_chat_are_extracted_from() {
    let words = json!({"enum": ["soup", "stew"]});
    let options = PromptOptions::default().with_output_schema(words).with_output_format("enum");
    let prompt = Prompt::builder("dish", "Asks for a dish.")
        .options(options)
        .handler(|_: Context, _: Map<String, Value>| async { Ok("A dish?") });
    let model = ScriptedModel::texts(["soup", SOUP, "[1, 2]", "no", "[3]", "soup"]);
    let run = || genkit::prompt(&prompt).model(model.clone());
    assert_eq!(run().extract::<Dish>().await.unwrap(), soup(), "its own type counts");

    let mut chat = genkit::generate("Hello.").model(model.clone()).chat();
    assert_eq!(chat.send("Numbers?").extract::<Vec<u32>>().await.unwrap(), [1, 2]);
    let mut stream = chat.send("More?").extract::<Vec<u32>>().stream();
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
    }
    assert_eq!(stream.response().await.unwrap().output::<Vec<u32>>().unwrap(), [3]);
    assert_eq!(chat.send("In a word?").await.unwrap().text(), "soup");
    let last = model.requests().pop().unwrap();
    assert_eq!(last.output.schema, None, "only the turn itself is asked for a value");
    assert_eq!(chat.messages().len(), 9);
}

#[tokio::test]
async fn chat_keeps_nothing_of_a_turn_that_does_not_fit() {
    let model = ScriptedModel::texts(["no", "no", "[1]"]);
    let mut chat = genkit::generate("Hello.").model(model).chat();
    assert!(chat.send("Numbers?").extract::<Vec<u32>>().await.is_err());
    assert_eq!(chat.messages().len(), 1);
    assert_eq!(chat.send("Numbers?").extract::<Vec<u32>>().await.unwrap(), [1]);
}

#[tokio::test]
async fn deadline_counts_while_a_validator_waits() {
    let run = genkit::generate("go").model(ScriptedModel::text("x"));
    let run = run.deadline(std::time::Duration::from_millis(20));
    let run = run.validate_async(|_: String| std::future::pending::<Result<(), String>>());
    let error = run.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert_eq!(error.partial().unwrap().text(), "x", "the response is not lost");
}
