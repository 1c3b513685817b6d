//! Actions that the program runs itself: tools for the model's requests, prompts, resources, flows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::action::HandlerError;
use genkit::message::ToolRequest;
use genkit::middleware::{Middleware, NextTool, ToolCall, ToolOutcome};
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{
    Approval, BoxFuture, Context, Error, ErrorKind, Flow, Generate, GenerateResponse, Genkit, Part,
    Prompt, Registry, Resource, Result, Role, Tool, flow, prompt, resource, tool, tools,
};
use serde_json::{Value, json};

use super::{calls, outputs};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

struct Prices(u32);

/// What apples cost.
#[tool]
async fn cost(prices: &Prices, n: u32) -> u32 {
    prices.0 * n
}

/// Asks.
#[tool(needs_approval)]
async fn delete(ctx: &Context, id: u32) -> Result<String> {
    ctx.interrupt(json!({"message": "Sure?"})).await?;
    Ok(format!("{id} is gone"))
}

/// Returns a tool without an annotated function.
fn dynamic() -> Tool {
    Tool::builder("halve", "Halves.").handler(|_: Context, n: Value| async move {
        let n: i64 = n["n"].as_str().unwrap_or_default().parse()?;
        if n % 2 != 0 {
            return Err("it is odd".into());
        }
        Ok(n / 2)
    })
}

fn request(name: &str, input: Value) -> ToolRequest {
    ToolRequest::new(name, input).with_id("r1")
}

async fn output(tool: &Tool, input: Value) -> Value {
    let outcome = tool.call(&request(tool.name(), input)).await.unwrap();
    let response = outcome.into_response().unwrap();
    assert_eq!((response.name.as_str(), response.id.as_deref()), (tool.name(), Some("r1")));
    response.output
}

#[tokio::test]
async fn tool_answers_a_request_and_fails_as_a_model_reads_it() {
    let add = Tool::of::<add>();
    assert_eq!(output(&add, json!({"a": 1, "b": "2"})).await, 3, "read leniently, as in a run");
    let told = output(&add, json!({"a": 1})).await;
    assert!(told["error"].as_str().unwrap().starts_with("Invalid arguments for `add`"), "{told}");

    assert_eq!(output(&dynamic(), json!({"n": "8"})).await, 4);
    assert_eq!(output(&dynamic(), json!({"n": "7"})).await, json!({"error": "it is odd"}));
    let told = output(&dynamic(), json!({"n": "x"})).await;
    assert_eq!(told, json!({"error": "invalid digit found in string"}));

    let panics = Tool::builder("panics", "Panics.");
    let panics =
        panics.handler(|_: Context, _: Value| async { if true { panic!("no") } else { Ok(()) } });
    assert!(output(&panics, json!({})).await["error"].is_string());
    let long = Tool::builder("long", "Is long.").max_output(10);
    let long = long.handler(|_: Context, _: Value| async { Ok("0123456789abc") });
    assert!(output(&long, json!({})).await.as_str().unwrap().contains("[cut: the first 10 of 13"));
}

#[tokio::test(start_paused = true)]
async fn call_by_hand_has_limits_and_only_what_ends_a_run_is_an_error() {
    let slow = Tool::builder("slow", "Is slow.").handler(|_: Context, _: Value| async {
        tokio::time::sleep(Duration::from_secs(70)).await;
        Ok(())
    });
    let call = request("slow", json!({}));
    let told = slow.call(&call).await.unwrap().into_response().unwrap();
    assert!(told.error().unwrap().contains("60s"), "{told:?}");
    let done = slow.call(&call).timeout(Duration::from_secs(80)).await.unwrap();
    assert_eq!(done.into_response().unwrap().output, Value::Null);

    let fatal = Tool::builder("fatal", "Ends it.").handler(|_: Context, _: Value| async {
        if true { Err(Error::not_found("no shop").into_fatal().into()) } else { Ok(()) }
    });
    let error = fatal.call(&request("fatal", json!({}))).await.unwrap_err();
    assert_eq!((error.kind(), error.is_fatal()), (ErrorKind::NotFound, true));

    let error = fatal.call(&request("slow", json!({}))).await.unwrap_err();
    assert_eq!(error.to_string(), "a call to `slow` was passed to the tool `fatal`");
}

#[tokio::test]
async fn state_comes_from_the_call_or_from_a_program() {
    let call = request("cost", json!({"n": 2}));
    let cost = Tool::of::<cost>();
    let error = cost.call(&call).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    let paid = cost.call(&call).state(Prices(3)).await.unwrap().into_response().unwrap();
    assert_eq!(paid.output, 6);

    let genkit = Genkit::builder().registry(Registry::new().add(tools![cost])).state(Prices(4));
    let genkit = genkit.build().unwrap();
    let outcome = genkit.call_tool(&call).await.unwrap();
    assert_eq!(outcome.into_response().unwrap().output, 8);
    let unknown = genkit.call_tool(&request("cast", json!({}))).await.unwrap();
    let told = unknown.into_response().unwrap();
    assert_eq!(told.error(), Some("Unknown tool: cast. Did you mean `cost`?"));
}

#[tokio::test]
async fn state_of_a_run_goes_over_that_of_the_program() {
    let genkit = Genkit::builder().registry(Registry::new()).state(Prices(3)).build().unwrap();
    let model = calls([("cost", json!({"n": 2}))]);
    let run = genkit.generate("go").model(model).tools(tools![cost]).state(Prices(5));
    assert_eq!(outputs(&run.await.unwrap()), [10]);
    // Missing state of a tool is detected before the model is called.
    let model = ScriptedModel::text("never");
    let run = genkit::generate("go").model(model.clone()).tools(tools![cost]);
    assert_eq!(run.await.unwrap_err().kind(), ErrorKind::FailedPrecondition);
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn questions_of_a_tool_are_answered_in_rounds() {
    let (delete, call) = (Tool::of::<delete>(), request("delete", json!({"id": 7})));
    let asked = delete.call(&call).await.unwrap();
    assert!(asked.is_interrupted() && asked.response().is_none());
    assert_eq!(asked.clone().into_response().unwrap_err().kind(), ErrorKind::FailedPrecondition);
    let question = &asked.interrupts(&call)[0];
    assert_eq!(question.message(), Some("Allow `delete` to run with {\"id\":7}?"));
    let denied =
        delete.call(&call).resume(asked.clone(), |q| q.decline_with("mine")).await.unwrap();
    assert_eq!(denied.into_response().unwrap().error(), Some("the user did not approve: mine"));

    let again = delete.call(&call).resume(asked, |q| q.approve()).await.unwrap();
    assert_eq!(again.interrupts(&call)[0].message(), Some("Sure?"));
    let answer = again.interrupts(&call)[0].restart("yes");
    let done = delete.call(&call).resume_with_answers(again, [answer]).await.unwrap();
    assert_eq!(done.into_response().unwrap().output, "7 is gone");
}

/// Calls other tools, and counts how often it began.
#[tool]
async fn outer(ctx: &Context, begun: &Arc<AtomicUsize>) -> Result<Value> {
    begun.fetch_add(1, Ordering::SeqCst);
    let call = request("delete", json!({"id": 7}));
    let outcome = Tool::of::<delete>().call(&call).context(ctx).await?;
    let cost = Tool::of::<cost>().call(&request("cost", json!({"n": 2}))).context(ctx);
    let cost = cost.state(Prices(3)).await?.into_response()?.output;
    Ok(json!([outcome.into_response()?.output, cost]))
}

/// Pays.
#[tool(needs_approval)]
async fn pay(euros: u64) -> String {
    format!("paid {euros}")
}

#[tokio::test]
async fn manually_run_call_records_that_it_was_edited() {
    let pay = Tool::of::<pay>();
    let call = request("pay", json!({"euros": 50}));
    let asked = pay.call(&call).await.unwrap();
    let edited =
        pay.call(&call).resume(asked, |question| question.approve_with(json!({"euros": 5})));
    let answer = edited.await.unwrap().into_response().unwrap();
    assert_eq!(answer.output, "paid 5");
    let note = answer.content.iter().find_map(Part::as_text).unwrap();
    assert!(note.contains("changed the arguments") && note.contains("50"), "{note}");
}

/// Pays in place of the model.
#[tool]
async fn pay_for(ctx: &Context, euros: Value) -> Result<Value> {
    let call = request("pay", json!({ "euros": euros }));
    let outcome = Tool::of::<pay>().call(&call).context(ctx).await?.into_response()?;
    Ok(outcome.output)
}

/// A string is not converted to a number, because the user approves a string.
#[tokio::test]
async fn what_is_approved_is_not_parsed_again() {
    let sent = json!({"euros": "50"});
    let refused = Tool::of::<pay>().call(&request("pay", sent.clone())).await.unwrap();
    let refused = refused.into_response().unwrap();
    assert!(refused.error().unwrap().contains("invalid type: string"), "{:?}", refused.error());

    let run = genkit::generate("go").model(calls([("pay", sent.clone())])).tools(tools![pay]);
    let ended = run.await.unwrap();
    assert!(ended.interrupts().is_empty());
    assert!(outputs(&ended)[0].to_string().contains("invalid type: string"), "{:?}", ended);

    let run = genkit::generate("go").model(calls([("pay_for", sent)])).tools(tools![pay_for]);
    let asked = run.clone().await.unwrap();
    assert_eq!(asked.interrupts()[0].message(), Some(r#"Allow `pay` to run with {"euros":"50"}?"#));
    let ended = run.resume(asked, |question| question.approve()).await.unwrap();
    assert!(outputs(&ended)[0].to_string().contains("invalid type: string"), "{:?}", ended);
}

/// `.run()` turns a call into a plain future, for concurrent calls.
#[tokio::test]
async fn call_may_be_spawned() {
    let task = tokio::spawn(Tool::of::<add>().call(&request("add", json!({"a": 1, "b": 2}))).run());
    assert_eq!(task.await.unwrap().unwrap().into_response().unwrap().output, 3);
}

#[tokio::test]
async fn inside_of_a_function_its_caller_is_asked() {
    let begun = Arc::new(AtomicUsize::new(0));
    let run = genkit::generate("go")
        .model(calls([("outer", json!({}))]))
        .tools(tools![outer])
        .state(Arc::clone(&begun));
    let asked = run.clone().await.unwrap();
    assert_eq!(asked.interrupts()[0].message(), Some("Allow `delete` to run with {\"id\":7}?"));
    let asked = run.clone().resume(asked, |q| q.approve()).await.unwrap();
    assert_eq!(asked.interrupts()[0].message(), Some("Sure?"));
    let done = run.resume(asked, |q| q.restart("yes")).await.unwrap();
    assert_eq!(outputs(&done), [json!(["7 is gone", 6])]);
    assert_eq!(begun.load(Ordering::SeqCst), 3);
}

/// Runs the manual loop with tools of all kinds.
async fn by_hand(ask: Generate, tools: &[Tool]) -> GenerateResponse {
    let mut response = ask.clone().prompt("go").await.unwrap();
    while !response.tool_requests().is_empty() {
        let ran = response.run_tools(tools).await.unwrap();
        response = ask.clone().messages(ran.messages()).await.unwrap();
    }
    response
}

#[tokio::test]
async fn manual_loop_gives_the_history_of_the_other() {
    let script = || {
        ScriptedModel::new([
            ModelResponse::from_tool_requests([
                request("add", json!({"a": 1, "b": 2})),
                ToolRequest::new("halve", json!({"n": "7"})).with_id("r2"),
                ToolRequest::new("nothing", json!({})).with_id("r3"),
            ]),
            ModelResponse::from_tool_requests([request("halve", json!({"n": "8"}))]),
            ModelResponse::from_text("done"),
        ])
    };
    let tools = [Tool::of::<add>(), dynamic()];
    let ask = || genkit::generate(()).system("Be brief.").model(script()).tools(&tools);
    let one = by_hand(ask().return_tool_requests(true), &tools).await;
    let other = ask().prompt("go").await.unwrap();
    assert_eq!(one.messages(), other.messages());
    assert_eq!(outputs(&one)[1], json!({"error": "it is odd"}));
    assert_eq!(outputs(&one)[2]["error"], "Unknown tool: nothing. There are: add, halve");
}

#[tokio::test]
async fn round_by_hand_asks_like_a_run_and_is_resumed_like_one() {
    let model = calls([("add", json!({"a": 1, "b": 2})), ("delete", json!({"id": 7}))]);
    let run = genkit::generate("go").model(model.clone()).tools(tools![add, delete]);
    let asks = run.clone().return_tool_requests(true).await.unwrap();
    let asked = asks.run_tools(tools![add, delete]).await.unwrap();
    assert!(asked.is_interrupted());
    assert_eq!(asked.interrupts().len(), 1);
    assert_eq!(asked.message.as_ref().unwrap().content[0].metadata()["pendingOutput"], 3);
    // An interrupted round must be resumed, not started again.
    let error = asked.run_tools(tools![add, delete]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    let mut response: GenerateResponse =
        serde_json::from_str(&serde_json::to_string(&asked).unwrap()).unwrap();
    while response.is_interrupted() {
        let answer =
            |q: &genkit::Interrupt| if q.is_approval() { q.approve() } else { q.restart("yes") };
        response = run.clone().resume(response, answer).await.unwrap();
    }
    assert_eq!(response.text(), "done");
    assert_eq!(outputs(&response), [json!(3), json!("7 is gone")]);
}

/// Middleware that counts all calls.
struct CallCounter(Arc<AtomicUsize>);

impl Middleware for CallCounter {
    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        next.run(call)
    }

    fn tools(&self) -> Vec<Tool> {
        vec![dynamic()]
    }
}

#[tokio::test]
async fn run_gives_its_policy_middleware_and_state_to_calls_by_hand() {
    let seen = Arc::new(AtomicUsize::new(0));
    let model = calls([
        ("cost", json!({"n": 2})),
        ("halve", json!({"n": "8"})),
        ("add", json!({"a": 1, "b": 1})),
    ]);
    let run = genkit::generate("go")
        .model(model)
        .tools(tools![cost, add])
        .state(Prices(3))
        .middleware(CallCounter(Arc::clone(&seen)))
        .approval(|call| match call.request().name.as_str() {
            "add" => Approval::deny("no sums"),
            _ => Approval::Allow,
        });
    let response = run.clone().return_tool_requests(true).await.unwrap();
    let ran = run.run_tools(&response).await.unwrap();
    let denied = json!({"error": "this call was not allowed: no sums"});
    assert_eq!(outputs(&ran), [json!(6), json!(4), denied]);
    assert_eq!(seen.load(Ordering::SeqCst), 3);
    assert_eq!(ran.messages().last().unwrap().role, Role::Tool);
    // No tools are requested, so none are run.
    assert_eq!(ran.run_tools(tools![add]).await.unwrap(), ran);
}

#[tokio::test]
async fn finished_calls_of_a_failed_round_are_not_repeated() {
    let fatal = Tool::builder("fatal", "Ends it.").handler(|_: Context, _: Value| async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        if true { Err(Error::not_found("no shop").into_fatal().into()) } else { Ok(()) }
    });
    let model = calls([("add", json!({"a": 1, "b": 2})), ("fatal", json!({}))]);
    let run = genkit::generate("go").model(model).tools([Tool::of::<add>(), fatal]);
    let partial = run.await.unwrap_err().into_partial().unwrap();
    // Only open calls are run; there is no tool `add` here.
    let mended =
        Tool::builder("fatal", "Mended.").handler(|_: Context, _: Value| async { Ok("well") });
    let ran = partial.run_tools([mended]).await.unwrap();
    assert_eq!(outputs(&ran), [json!(3), json!("well")]);
}

#[tokio::test]
async fn sampling_without_a_model_is_an_error() {
    let asks = Tool::builder("asks", "Asks a model.")
        .handler(|ctx: Context, (): ()| async move { Ok(ctx.sample("hi").await?.text()) });
    let genkit = Genkit::builder().registry(Registry::new().add([asks.clone()])).build().unwrap();
    let told =
        genkit.call_tool(&request("asks", json!({}))).await.unwrap().into_response().unwrap();
    assert!(
        told.error().unwrap().contains("no model is available for the tool's sampling request"),
        "{told:?}"
    );
    let model = ScriptedModel::text("hello");
    let genkit = Genkit::builder().registry(Registry::new().add([asks])).default_model(model);
    let called = genkit.build().unwrap().call_tool(&request("asks", json!({}))).await.unwrap();
    assert_eq!(called.into_response().unwrap().output, "hello");
}

/// Asks for a letter.
#[prompt]
async fn letter(prices: &Prices, to: String, pages: u8) -> String {
    format!("{pages} pages to {to} about {}", prices.0)
}

/// A note.
#[resource("note://{id}")]
async fn note(id: u32) -> Result<String> {
    match id {
        0 => Err(Error::not_found("no note 0")),
        id => Ok(format!("note {id}")),
    }
}

/// Sums up, after it asked.
#[flow]
async fn sum(ctx: &Context, numbers: Vec<i64>) -> Result<i64> {
    ctx.confirm("Sum up?").await?;
    Ok(numbers.iter().sum())
}

#[tokio::test]
async fn prompts_resources_and_flows_run_as_values() {
    #[derive(serde::Serialize)]
    struct Arguments {
        to: &'static str,
        pages: u8,
    }
    let letter = Prompt::of::<letter>();
    let arguments = Arguments { to: "Ada", pages: 2 };
    let reply = letter.render(&arguments).state(Prices(3)).await.unwrap();
    assert_eq!(reply.messages()[0].text(), "2 pages to Ada about 3");
    let error = letter.render(&arguments).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    let error = letter.render(json!({"to": "Ada"})).state(Prices(3)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);

    let note = Resource::of::<note>();
    assert_eq!(note.read("note://7").await.unwrap()[0].as_text(), Some("note 7"));
    assert_eq!(note.read("note://0").await.unwrap_err().to_string(), "no note 0");
    assert_eq!(note.read("house://7").await.unwrap_err().kind(), ErrorKind::NotFound);

    let error = Flow::of::<sum>().run(json!({"numbers": [1, 2]})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition, "no caller can answer");

    let genkit = Genkit::builder()
        .registry(Registry::new().add([Prompt::of::<letter>()]).add([Resource::of::<note>()]));
    let genkit = genkit.state(Prices(4)).build().unwrap();
    let reply = genkit.render_prompt("letter", json!({"to": "Ada", "pages": "2"})).await.unwrap();
    assert_eq!(reply.into_messages()[0].text(), "2 pages to Ada about 4");
    let error = genkit.render_prompt("latter", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "Unknown prompt: latter. Did you mean `letter`?");
    assert_eq!(genkit.read_resource("note://7").await.unwrap()[0].as_text(), Some("note 7"));
    assert_eq!(genkit.read_resource("x://7").await.unwrap_err().kind(), ErrorKind::NotFound);
}

/// Runs a flow inside a tool.
#[tool]
async fn sums(ctx: &Context) -> Result<Value> {
    Flow::of::<sum>().run(json!({"numbers": [1, 2]})).context(ctx).await
}

#[tokio::test]
async fn flow_inside_of_a_tool_asks_the_tools_caller() {
    let run = genkit::generate("go").model(calls([("sums", json!({}))])).tools(tools![sums]);
    let asked = run.clone().await.unwrap();
    assert_eq!(asked.interrupts()[0].message(), Some("Sum up?"));
    assert_eq!(outputs(&run.resume(asked, |q| q.approve()).await.unwrap()), [3]);
}

#[test]
fn runs_are_plain_futures() {
    let run = || genkit::generate("hi").model(ScriptedModel::text("hello")).run();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(run()).unwrap().text(), "hello");
    let task = runtime.spawn(run());
    assert_eq!(runtime.block_on(task).unwrap().unwrap().text(), "hello");
}

#[tokio::test]
async fn types_define_schemas_of_declared_tools() {
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Order {
        /// What to buy.
        item: String,
    }
    let order = Tool::builder("order", "Orders.").input::<Order>().output::<Order>().interrupts();
    assert_eq!(order.input_schema()["properties"]["item"]["description"], "What to buy.");
    assert_eq!(order.output_schema().unwrap()["required"], json!(["item"]));
    // Invalid arguments are for the model to fix, so the user is not asked.
    let told = output(&order, json!({"thing": 1})).await;
    assert!(told["error"].as_str().unwrap().starts_with("Invalid arguments for `order`"), "{told}");
    let call = request("order", json!({"item": "tea"}));
    let asked = order.call(&call).await.unwrap();
    let done = order.call(&call).resume(asked, |q| q.respond(Order { item: "milk".into() }));
    assert_eq!(done.await.unwrap().into_response().unwrap().output, json!({"item": "milk"}));
    // A body that accepts any JSON is not called either.
    let body = Tool::builder("body", "Reads.").input::<Order>();
    let body = body.handler(|_: Context, any: Value| async move { Ok(any) });
    assert!(output(&body, json!({"thing": 1})).await["error"].is_string());
}

#[tokio::test]
async fn closures_fail_with_any_error_and_keep_the_kind_of_ours() {
    async fn fails(how: &str) -> Result<String, HandlerError> {
        Ok(match how {
            "ours" => Err(Error::not_found("no page"))?,
            "io" => std::fs::read_to_string("/no/such/file")?,
            "text" => Err("a text".to_owned())?,
            "boxed" => Err(Box::<dyn std::error::Error + Send + Sync>::from("boxed"))?,
            _ => "well".to_owned(),
        })
    }
    let kinds = [
        ("ours", Some(ErrorKind::NotFound)),
        ("io", Some(ErrorKind::Unknown)),
        ("text", Some(ErrorKind::Unknown)),
        ("boxed", Some(ErrorKind::Unknown)),
        ("no way", None),
    ];
    for (how, kind) in kinds {
        let prompt = Prompt::builder("p", "P.");
        let prompt = prompt.handler(move |_: Context, _: Value| fails(how));
        assert_eq!(prompt.render(json!({})).await.err().map(|error| error.kind()), kind, "{how}");
        let page = Resource::builder("page://1", "page", "A page.");
        let page = page.handler(move |_: Context, _: Value| fails(how));
        assert_eq!(page.read("page://1").await.err().map(|error| error.kind()), kind, "{how}");
    }
}

#[tokio::test]
async fn metadata_of_an_answer_is_kept() {
    let shows = Tool::builder("shows", "Shows.").handler(|_: Context, _: Value| async {
        Ok(vec![Part::image("image/png", [1])].remove(0))
    });
    let outcome = shows.call(&request("shows", json!({}))).await.unwrap();
    assert_eq!(outcome.response().unwrap().content, [Part::image("image/png", [1])]);
}
