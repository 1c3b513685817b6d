//! The outcome of a model's calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::generate::OnToolError;
use genkit::message::ToolRequest;
use genkit::model::{ModelInfo, ModelResponse, Supports};
use genkit::testing::ScriptedModel;
use genkit::{
    Approval, Context, ErrorKind, Genkit, Message, Part, Registry, Result, Role, Tool, ToolReply,
    tool, tools,
};
use serde_json::{Value, json};

use super::{calls, outputs};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Fails.
#[tool]
async fn fail(why: String) -> Result<()> {
    Err(genkit::Error::new(ErrorKind::Unavailable, why))
}

/// Panics.
#[tool]
async fn explode() -> u32 {
    panic!("boom")
}

/// Takes its time.
#[tool]
async fn slow(ms: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ms
}

/// Never ends.
#[tool(timeout = "20ms")]
async fn hang() {
    std::future::pending().await
}

/// Says much.
#[tool(max_output = 20)]
async fn much() -> String {
    "ä".repeat(100)
}

/// Says much as a list.
#[tool]
async fn many() -> Vec<u32> {
    (0..1000).collect()
}

/// Fails with an error that ends the run.
#[tool]
async fn fatal() -> Result<()> {
    Err(genkit::Error::new(ErrorKind::Unauthenticated, "wrong key").into_fatal())
}

/// A picture of a number.
#[tool]
async fn picture() -> ToolReply<u32> {
    ToolReply::new(7).with_part(Part::image("image/png", [1])).with_meta("by", "hand")
}

struct User(&'static str);

/// Who calls.
#[tool]
async fn whoami(ctx: &Context, shop: &Shop) -> Option<String> {
    Some(format!("{} in {}", ctx.extension::<User>()?.0, shop.0))
}

struct Shop(&'static str);

#[tokio::test]
async fn answers_come_in_the_order_of_the_requests() {
    let model = calls([
        ("slow", json!({"ms": 30})),
        ("add", json!({"a": 1, "b": 2})),
        ("slow", json!({"ms": 5})),
    ]);
    let response =
        genkit::generate("go").model(model).tools(tools![add, slow]).await.expect("it runs");
    assert_eq!(outputs(&response), [json!(30), json!(3), json!(5)]);
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_round_run_together_up_to_a_limit() {
    for (limit, takes) in [(16, 100), (2, 200), (1, 400)] {
        let model = calls([100; 4].map(|ms| ("slow", json!({ "ms": ms }))));
        let began = tokio::time::Instant::now();
        let run = genkit::generate("go").model(model).tools(tools![slow]).parallel_tools(limit);
        run.await.expect("it runs");
        assert_eq!(began.elapsed().as_millis() / 10 * 10, takes, "{limit} at a time");
    }
}

#[tokio::test]
async fn missing_and_doubled_refs_are_replaced_in_history_and_response_alike() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([
            ToolRequest::new("add", json!({"a": 1, "b": 1})),
            ToolRequest::new("add", json!({"a": 2, "b": 2})).with_id("mine"),
            ToolRequest::new("add", json!({"a": 3, "b": 3})).with_id("mine"),
            ToolRequest::new("add", json!({"a": 4, "b": 4})).with_id(""),
        ]),
        ModelResponse::from_text("done"),
    ]);
    let response = genkit::generate("go").model(model.clone()).tools(tools![add]).await.unwrap();
    let messages = response.messages();
    let asked: Vec<_> = messages[1].tool_requests().map(|r| r.id.clone().unwrap()).collect();
    let answers = messages[2].content.iter().map(|part| part.as_tool_response().unwrap());
    let answered: Vec<String> = answers.map(|answer| answer.id.clone().unwrap()).collect();
    assert_eq!(asked, answered);
    assert_eq!(asked[1], "mine", "refs from the model are kept");
    let mut unique = asked.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 4, "{asked:?}");
    assert_eq!(outputs(&response), [json!(2), json!(4), json!(6), json!(8)]);
    assert_eq!(model.requests()[1].messages, messages[..3]);
}

#[tokio::test]
async fn model_mistakes_are_returned_to_the_model() {
    for (call, input, said) in [
        ("add", json!({"a": "x", "b": 2}), "at `a`: invalid type: string \"x\", expected i64"),
        ("add", json!({"a": 1}), "missing field `b`"),
        ("add", json!("what?"), "expected"),
        ("ad", json!({}), "Unknown tool: ad. Did you mean `add`?"),
        ("fail", json!({"why": "down"}), "down"),
        ("explode", json!({}), "`explode` panicked; see the program's log"),
        ("hang", json!({}), "`hang` did not finish within 20ms; try a smaller request"),
    ] {
        let model = calls([(call, input)]);
        let tools = tools![add, fail, explode, hang];
        let response = genkit::generate("go").model(model.clone()).tools(tools).await.unwrap();
        assert_eq!(response.text(), "done");
        let answered = outputs(&response);
        let error = answered[0]["error"].as_str().expect("an error");
        assert!(error.contains(said), "{call}: {error}");
        assert_eq!(model.requests().len(), 2, "the model could correct its call");
    }
}

#[tokio::test]
async fn invalid_arguments_error_names_the_expected_schema() {
    let model = calls([("add", json!({"a": 1, "c": 2}))]);
    let response = genkit::generate("go").model(model).tools(tools![add]).await.unwrap();
    let error = outputs(&response)[0]["error"].as_str().unwrap().to_owned();
    assert!(error.contains("unknown field `c`"), "{error}");
    assert!(error.contains(r#"The arguments must match this schema: {"type":"object""#), "{error}");
}

#[tokio::test]
async fn strings_are_read_again_unless_it_is_strict() {
    let input = json!({"a": "5", "b": 2});
    let run = |model| genkit::generate("go").model(model).tools(tools![add]);
    let response = run(calls([("add", input.clone())])).await.unwrap();
    assert_eq!(outputs(&response), [json!(7)]);
    let response = run(calls([("add", input)])).strict_args(true).await.unwrap();
    assert!(outputs(&response)[0]["error"].as_str().unwrap().contains("at `a`"));
}

#[tokio::test]
async fn tool_failure_ends_the_run_if_configured() {
    let run = |model| genkit::generate("go").model(model).tools(tools![add, fail, fatal]);
    let two = || calls([("add", json!({"a": 1, "b": 2})), ("fail", json!({"why": "down"}))]);
    let error = run(two()).on_tool_error(OnToolError::Abort).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.chain(), "the tool `fail` failed: down");
    let done = error.partial().expect("what was done");
    assert_eq!(done.tool_requests().len(), 2, "the open calls are not lost");

    let error = run(calls([("fatal", json!({}))])).await.unwrap_err();
    assert_eq!(error.chain(), "the tool `fatal` failed: wrong key");
}

#[tokio::test]
async fn long_answers_are_cut_with_a_mark() {
    let model = calls([("much", json!({})), ("many", json!({}))]);
    let tools = tools![much, many];
    let response =
        genkit::generate("go").model(model).tools(tools).max_tool_output(100).await.unwrap();
    let said = outputs(&response);
    let much = said[0].as_str().unwrap();
    assert!(much.starts_with("ääää"), "{much}");
    assert!(much.contains("[cut: the first 20 of 200 bytes are shown"), "{much}");
    let many = said[1].as_str().unwrap();
    assert!(many.starts_with("[0,1,2,"), "{many}");
    assert!(many.contains("[cut: the first 100 of"), "{many}");
}

/// A picture with a lot to say about it.
#[tool]
async fn described() -> Vec<Part> {
    vec![Part::text("y".repeat(60)), Part::image("image/png", [0; 200]), Part::text("z".repeat(60))]
}

#[tokio::test]
async fn long_text_next_to_a_picture_is_cut_and_the_picture_stays() {
    let model = calls([("described", json!({}))]);
    let tools = tools![described];
    let response =
        genkit::generate("go").model(model).tools(tools).max_tool_output(100).await.unwrap();
    let answers = response.messages();
    let answer = answers.iter().flat_map(|message| &message.content);
    let answer = answer.filter_map(Part::as_tool_response).next().unwrap();
    let texts: Vec<_> = answer.content.iter().map(Part::as_text).collect();
    assert_eq!(texts[0], Some("y".repeat(60).as_str()));
    assert_eq!(texts[1], None, "the picture");
    assert!(texts[2].unwrap().contains("[cut: the first 40 of 60 bytes"), "{texts:?}");
}

/// Says exactly this much.
#[tool]
async fn exactly(bytes: usize) -> String {
    "x".repeat(bytes)
}

#[tokio::test]
async fn limit_on_an_answer_is_256_kib_of_json() {
    for (bytes, cut) in [(256 * 1024 - 2, false), (256 * 1024 - 1, true)] {
        let model = calls([("exactly", json!({ "bytes": bytes }))]);
        let response = genkit::generate("go").model(model).tools(tools![exactly]).await.unwrap();
        let said = outputs(&response)[0].as_str().unwrap().to_owned();
        assert_eq!(said.contains("[cut:"), cut, "{bytes}");
    }
}

#[tokio::test]
async fn content_is_returned_alongside_the_value() {
    let model = calls([("picture", json!({}))]);
    let response = genkit::generate("go").model(model).tools(tools![picture]).await.unwrap();
    let message = &response.messages()[2];
    let answer = message.content[0].as_tool_response().unwrap();
    assert_eq!(answer.output, 7);
    assert_eq!(answer.content, [Part::image("image/png", [1])]);
    assert_eq!(message.content[0].metadata()["by"], "hand");
}

#[tokio::test]
async fn context_values_and_state_reach_the_tools() {
    let registry = Registry::new().add(tools![whoami]);
    let genkit = Genkit::builder().registry(registry).state(Shop("Rome")).build().unwrap();
    let run = genkit.generate("go").model(calls([("whoami", json!({}))])).tools(["whoami"]);
    let response = run.extension(User("Ada")).await.unwrap();
    assert_eq!(outputs(&response), ["Ada in Rome"]);
}

#[tokio::test]
async fn missing_state_is_an_error_before_the_call() {
    let model = calls([("whoami", json!({}))]);
    let error = genkit::generate("go").model(model.clone()).tools(tools![whoami]).await;
    let said = error.unwrap_err().to_string();
    assert!(said.contains("takes `&") && said.contains("Shop"), "{said}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn tools_are_found_by_name_pattern_and_tag() {
    let named = |name: &'static str, tag: &'static str| {
        Tool::builder(name, "x").tag(tag).handler(|_: Context, (): ()| async { Ok(1) })
    };
    let all = [named("fs_read", "fs"), named("fs_write", "fs"), named("git_log", "git")];
    let genkit = Genkit::builder().registry(Registry::new().add(all)).build().unwrap();
    for (wanted, found) in [
        (vec!["git_log".into()], vec!["git_log"]),
        (vec!["fs_*".into()], vec!["fs_read", "fs_write"]),
        (vec![genkit::generate::ToolRef::tagged("fs")], vec!["fs_read", "fs_write"]),
        (vec!["fs_*".into(), "*_read".into()], vec!["fs_read", "fs_write"]),
        (vec!["/tool/git_log".into()], vec!["git_log"]),
    ] {
        let model = ScriptedModel::text("x");
        genkit.generate("go").model(model.clone()).tools(wanted).await.unwrap();
        let offered: Vec<String> =
            model.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
        assert_eq!(offered, found);
    }
    for (wanted, said) in [
        (genkit::generate::ToolRef::from("git_lag"), "Did you mean `git_log`?"),
        ("svn_*".into(), "no registered tool matches `svn_*`"),
        (genkit::generate::ToolRef::tagged("svn"), "no registered tool has the tag `svn`"),
    ] {
        let run = genkit.generate("go").model(ScriptedModel::text("x")).tools([wanted]);
        let error = run.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn two_tools_of_one_name_are_an_error_that_names_both() {
    let other = Tool::builder("add", "x").handler(|_: Context, _: Value| async { Ok(1) });
    let tools = tools![add].into_iter().chain([other]);
    let error = genkit::generate("go").model(ScriptedModel::text("x")).tools(tools).await;
    let said = error.unwrap_err().to_string();
    assert_eq!(said.matches("tool `add` (").count(), 2, "{said}");
    let twice = tools![add, add];
    genkit::generate("go").model(ScriptedModel::text("x")).tools(twice).await.expect("the same");
}

#[tokio::test]
async fn hand_written_schemas_are_checked_at_run_time() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": 3}},
        "required": ["n"]});
    let tool = Tool::builder("count", "Counts.")
        .input_schema(schema)
        .output_schema(json!({"type": "integer", "minimum": 1}))
        .handler(|_: Context, input: Value| async move { Ok(input["n"].clone()) });
    for (input, said) in [
        (json!({"n": 2}), None),
        (json!({"n": "2"}), None),
        (json!({"n": 4}), Some("at `n`: 4 is greater than the maximum of 3")),
        (json!({}), Some("\"n\" is a required property")),
        (json!({"n": 0}), Some("the result does not match the declared output schema")),
    ] {
        let model = calls([("count", input.clone())]);
        let response = genkit::generate("go").model(model).tools([&tool]).await.unwrap();
        match said {
            None => assert_eq!(outputs(&response), [json!(2)]),
            Some(said) => {
                let error = outputs(&response)[0]["error"].as_str().unwrap().to_owned();
                assert!(error.contains(said), "{input}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn policy_decides_on_each_call() {
    let model = calls([("add", json!({"a": 1, "b": 1})), ("add", json!({"a": 50, "b": 1}))]);
    let run = genkit::generate("go").model(model).tools(tools![add]).approval(|call| {
        match call.request().input["a"].as_i64() {
            Some(..10) => Approval::Allow,
            _ => Approval::deny("too large"),
        }
    });
    let response = run.await.unwrap();
    assert_eq!(
        outputs(&response),
        [json!(2), json!({"error": "this call was not allowed: too large"})]
    );
}

#[tokio::test]
async fn call_that_is_still_being_written_is_not_run() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    let count = Tool::builder("count", "Counts.")
        .handler(|_: Context, _: Value| async { Ok(RAN.fetch_add(1, Ordering::SeqCst)) });
    let mut partial = ToolRequest::new("count", json!({}));
    partial.partial = true;
    let model = ScriptedModel::new([ModelResponse::from_tool_requests([partial])]);
    let response = genkit::generate("go").model(model).tools([count]).await.unwrap();
    assert_eq!(response.messages().len(), 2);
    assert_eq!(RAN.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn unsupported_capability_is_an_error_before_the_call() {
    let with = |change: fn(&mut Supports)| {
        let mut supports = Supports::all();
        change(&mut supports);
        let mut info = ModelInfo::default();
        info.supports = Some(supports);
        ScriptedModel::text("x").with_info(info)
    };
    let ask = |model: &ScriptedModel| genkit::generate("go").model(model.clone());
    let cases = [
        (with(|s| s.tools = false), "tools"),
        (with(|s| s.media = false), "media"),
        (with(|s| s.multiturn = false), "more than one message"),
        (with(|s| s.system_role = false), "a system message"),
        (with(|s| s.tool_choice = false), "a tool choice"),
    ];
    for (model, lacking) in cases {
        let error = ask(&model)
            .system("s")
            .messages([Message::user("a"), Message::model("b")])
            .prompt(Part::image("image/png", [1]))
            .tools(tools![add])
            .tool_choice(genkit::model::ToolChoice::Required)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let said = error.to_string();
        assert!(said.contains("`scripted` does not support") && said.contains(lacking), "{said}");
        assert!(model.requests().is_empty(), "{lacking}");
    }
    let unknown = ScriptedModel::text("x").with_info(ModelInfo::default());
    ask(&unknown).tools(tools![add]).await.expect("nothing is known, nothing is checked");
}

#[tokio::test]
async fn answers_given_by_hand_are_a_tool_message() {
    let model = ScriptedModel::text("done");
    let request = ToolRequest::new("add", json!({"a": 1, "b": 2})).with_id("1");
    let history = [Message::user("go"), Message::model(request.clone())];
    let answers = vec![request.respond(json!(3))];
    genkit::generate(answers).messages(history).model(model.clone()).await.unwrap();
    assert_eq!(model.requests()[0].messages[2].role, Role::Tool);
}

#[tokio::test]
async fn tool_is_called_by_the_last_part_of_its_name_where_that_is_one() {
    let named = |name: &'static str, says: &'static str| {
        Tool::builder(name, "x").handler(move |_: Context, _: Value| async move { Ok(says) })
    };
    let tools = [named("a/search", "a"), named("b/search", "b"), named("b/read", "c")];
    let model = calls([("read", json!({})), ("search", json!({})), ("a/search", json!({}))]);
    let response = genkit::generate("go").model(model).tools(&tools).await.unwrap();
    let said = outputs(&response);
    assert_eq!((&said[0], &said[2]), (&json!("c"), &json!("a")));
    assert!(said[1]["error"].as_str().unwrap().contains("Unknown tool: search"), "{}", said[1]);
}

#[tokio::test]
async fn run_without_messages_is_an_error() {
    let error = genkit::generate(()).model(ScriptedModel::text("x")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let shared = Arc::new(ScriptedModel::text("x"));
    let error = genkit::generate("go").model(shared).config(5).await.unwrap_err();
    assert_eq!(error.to_string(), "`.config(..)` takes an object, not 5");
    let error = genkit::generate("go").model("gemeni/x").await.unwrap_err();
    assert!(error.to_string().contains("Did you mean `gemini`?"), "{error}");
}

#[tokio::test]
async fn approved_arguments_are_the_executed_arguments() {
    let named =
        Tool::builder("bank/pay", "Pays.").handler(|_: Context, input: Value| async { Ok(input) });
    for (name, input) in [("add", json!({"a": "500000", "b": 1})), ("pay", json!({"cents": 1}))] {
        let model = calls([(name, input)]);
        let tools = tools![add].into_iter().chain([named.clone()]);
        let run = genkit::generate("go").model(model).tools(tools).approval(|call| {
            let dear = call.request().input["a"].as_u64().is_some_and(|a| a > 1000);
            match call.request().name == "bank/pay" || dear {
                true => Approval::deny("no"),
                false => Approval::Allow,
            }
        });
        let response = run.await.unwrap();
        assert!(outputs(&response)[0]["error"].is_string(), "{name}: {:?}", outputs(&response));
    }
}

#[tokio::test]
async fn tool_that_is_called_though_none_may_be_is_not_run() {
    let model = calls([("add", json!({"a": 1, "b": 1}))]);
    let run = genkit::generate("go").model(model.clone()).tools(tools![add]);
    let response = run.tool_choice(genkit::model::ToolChoice::None).await.unwrap();
    assert_eq!((response.tool_requests().len(), model.requests().len()), (1, 1));
}
