//! Bounds: the constraints in a schema are checked before the body runs, for every caller.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use genkit::message::ToolRequest;
use genkit::middleware::{Middleware, on_tool};
use genkit::model::ModelResponse;
use genkit::testing::{Client, ScriptedModel};
use genkit::{
    Context, Elicited, ErrorKind, Genkit, Message, Prompt, Registry, Result, Role, Tool, flow,
    flows, prompt, prompts, resource, resources, tool, tools,
};
use serde_json::{Value, json};

use crate::serving;

/// The number of times that a body ran.
static RUNS: AtomicU32 = AtomicU32::new(0);

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Item {
    /// Days of rent.
    #[serde(alias = "d")]
    #[schemars(range(min = 1, max = 7))]
    days: u8,
    #[schemars(length(max = 5))]
    note: Option<String>,
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Order {
    items: Vec<Item>,
    #[serde(default)]
    by_name: BTreeMap<String, Item>,
    delivery: Option<Delivery>,
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(tag = "by", rename_all = "lowercase")]
enum Delivery {
    Ship {
        #[schemars(range(max = 10))]
        weeks: u8,
    },
    Train(Item),
    None,
}

/// Rents what is ordered.
#[tool]
async fn rent(order: Order) -> usize {
    RUNS.fetch_add(1, Ordering::SeqCst);
    order.items.len()
}

/// Forecasts.
#[tool]
async fn forecast(
    #[schemars(length(min = 1), regex(pattern = "^[A-Z]"))] city: String,
    #[schemars(range(max = 7))]
    #[serde(alias = "for")]
    days: Option<u8>,
    #[validate(length(max = 2))]
    #[serde(default)]
    hours: Vec<u8>,
) -> String {
    format!("{city} {days:?} {}", hours.len())
}

/// Plans.
#[prompt]
async fn plan(
    #[schemars(range(max = 7))] days: u8,
    #[garde(length(max = 3))] city: Option<String>,
) -> String {
    format!("{days} days in {city:?}")
}

/// Counts.
#[flow]
async fn count(#[schemars(range(min = 2))] from: u8) -> u8 {
    from
}

/// A page.
#[resource("book://{page}")]
async fn page(#[schemars(range(max = 99))] page: u32) -> String {
    page.to_string()
}

/// Requires approval.
#[tool(needs_approval)]
async fn delete(#[schemars(range(max = 7))] id: u8) -> String {
    format!("{id} is gone")
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Guests {
    #[schemars(range(max = 4))]
    guests: u8,
}

/// Books a table.
#[tool]
async fn book(ctx: &Context) -> Result<String> {
    let Elicited::Accepted(answer) = ctx.elicit::<Guests>("How many?").await? else {
        return Ok("none".to_owned());
    };
    Ok(format!("a table for {}", answer.guests))
}

async fn both_eras(tools: Vec<Tool>) -> [Client; 2] {
    let client = |modern: bool| Client::builder().modern(modern).connect(serving(tools.clone()));
    [client(false).await.unwrap(), client(true).await.unwrap()]
}

#[tokio::test]
async fn parameters_and_nested_values_are_checked_against_bounds() {
    for client in both_eras(tools![rent, forecast]).await {
        let before = RUNS.load(Ordering::SeqCst);
        for (arguments, expected) in [
            (
                json!({"items": [{"days": 7}, {"days": 9}]}),
                "at `order.items[1].days`: 9 is greater than the maximum of 7",
            ),
            (
                json!({"items": [{"days": 0}]}),
                "at `order.items[0].days`: 0 is less than the minimum of 1",
            ),
            (
                json!({"items": [{"d": 9}]}),
                "at `order.items[0].days`: 9 is greater than the maximum of 7",
            ),
            (
                json!({"items": [{"days": 1, "note": "äöüäöü"}]}),
                "at `order.items[0].note`: \"äöüäöü\" is longer than 5 characters",
            ),
            (
                json!({"items": [], "by_name": {"tent": {"days": 8}}}),
                "at `order.by_name.tent.days`: 8 is",
            ),
            (
                json!({"items": [], "delivery": {"by": "ship", "weeks": 11}}),
                "at `order.delivery.weeks`: 11 is greater than the maximum of 10",
            ),
            (
                json!({"items": [], "delivery": {"by": "train", "days": 8}}),
                "at `order.delivery.days`: 8 is greater than the maximum of 7",
            ),
            (json!({"items": "[{\"days\": \"9\"}]"}), "at `order.items[0].days`: 9 is"),
            (
                json!({"items": [{"days": 8}, {"days": 9}]}),
                "at `order.items[0].days`: 8 is greater than the maximum of 7; at `order.items[1].days`: 9 is",
            ),
        ] {
            let answer = client.call_tool("rent", json!({"order": arguments})).await.unwrap();
            assert!(answer.is_error(), "{arguments}");
            let said = answer.text();
            assert!(said.starts_with("Invalid arguments for `rent`: at `order"), "{said}");
            assert!(said.contains(expected), "{said}\n{expected}");
            assert!(said.contains("The arguments must match this schema: {"), "{said}");
        }
        assert_eq!(RUNS.load(Ordering::SeqCst), before, "no body has run");
        let fits = json!({"items": [{"days": "7", "note": "äöüäö"}], "delivery": {"by": "ship", "weeks": 10}});
        assert_eq!(client.call_tool("rent", json!({"order": fits})).await.unwrap().text(), "1");

        for (arguments, expected) in [
            (json!({"city": "Oslo", "days": 9}), "at `days`: 9 is greater than the maximum of 7"),
            (json!({"city": "Oslo", "for": 9}), "at `days`: 9 is greater than the maximum of 7"),
            (json!({"city": "oslo"}), "at `city`: \"oslo\" does not match the pattern \"^[A-Z]\""),
            (
                json!({"city": "Oslo", "hours": [1, 2, 3]}),
                "at `hours`: [1,2,3] has 3 items, more than the maximum of 2",
            ),
        ] {
            let said = client.call_tool("forecast", arguments).await.unwrap();
            assert!(said.is_error() && said.text().contains(expected), "{}", said.text());
        }
        let fits =
            client.call_tool("forecast", json!({"city": "Oslo", "days": null})).await.unwrap();
        assert_eq!(fits.text(), "Oslo None 0");
    }
}

#[tokio::test]
async fn attributes_of_parameters_reach_the_schema() {
    let [forecast, plan] = [
        Tool::of::<forecast>().input_schema().clone(),
        Prompt::of::<plan>().input_schema().clone(),
    ];
    let city = &forecast["properties"]["city"];
    assert_eq!((&city["minLength"], &city["pattern"]), (&json!(1), &json!("^[A-Z]")));
    assert_eq!(forecast["properties"]["days"]["maximum"], 7);
    assert_eq!(forecast["properties"]["hours"]["maxItems"], 2);
    assert_eq!(plan["properties"]["days"]["maximum"], 7);
    assert_eq!(plan["properties"]["city"]["maxLength"], 3);
}

#[tokio::test]
async fn prompts_flows_and_templates_check_bounds() {
    let client = Client::connect(serving(prompts![plan])).await.unwrap();
    let said = client.get_prompt("plan", json!({"days": "9"})).await.unwrap_err();
    assert!(said.to_string().contains("at `days`: 9 is greater than the maximum of 7"), "{said}");
    let said = client.get_prompt("plan", json!({"days": "7", "city": "Oslo"})).await.unwrap_err();
    assert!(said.to_string().contains("at `city`: \"Oslo\" is longer than 3 characters"), "{said}");
    assert!(client.get_prompt("plan", json!({"days": "7", "city": "Ulm"})).await.is_ok());

    let client = Client::connect(serving(resources![page])).await.unwrap();
    let said = client.read_resource("book://100").await.unwrap_err();
    assert!(
        said.to_string().contains("at `page`: 100 is greater than the maximum of 99"),
        "{said}"
    );
    assert!(client.read_resource("book://99").await.is_ok());

    let genkit = Genkit::builder().registry(Registry::new().add(flows![count])).build().unwrap();
    let said = genkit.run_flow("count", json!({"from": 1})).await.unwrap_err();
    assert_eq!(said.to_string(), "at `from`: 1 is less than the minimum of 2");
    assert_eq!(said.kind(), ErrorKind::InvalidArgument);
    assert_eq!(genkit.run_flow("count", json!({"from": 2})).await.unwrap(), 2);
}

#[tokio::test]
async fn dynamic_tools_check_bounds_of_types_and_handwritten_schemas() {
    let typed = Tool::builder("typed", "From a type.")
        .handler(|_: Context, item: Item| async move { Ok(item.days) });
    let named = Tool::builder("named", "Named by a type, run on JSON.")
        .input::<Item>()
        .handler(|_: Context, input: Value| async move { Ok(input) });
    let schema = json!({
        "type": "object", "required": ["days"], "additionalProperties": false,
        "properties": {"days": {"type": "integer", "maximum": 7}, "tags": {"uniqueItems": true}},
    });
    let written = Tool::builder("written", "By hand.")
        .input_schema(schema)
        .output_schema(json!({"type": "object", "properties": {"left": {"minimum": 0}}}))
        .handler(|_: Context, input: Value| async move {
            Ok(json!({"left": 5 - input["days"].as_i64().unwrap_or_default()}))
        });
    for client in both_eras(vec![typed, named, written]).await {
        for (tool, arguments, expected) in [
            ("named", json!({"days": "9"}), "at `days`: 9 is greater than the maximum of 7"),
            ("named", json!({"d": 9}), "at `days`: 9 is greater than the maximum of 7"),
            ("typed", json!({"days": 9}), "at `days`: 9 is greater than the maximum of 7"),
            ("written", json!({"days": 9}), "at `days`: 9 is greater than the maximum of 7"),
            ("written", json!({"days": "x"}), "at `days`: \"x\" is not of type \"integer\""),
            (
                "written",
                json!({"days": 1, "tags": [1, 1.0]}),
                "at `tags`: [1,1.0] has 1.0 more than once",
            ),
            ("written", json!({"day": 1}), "\"days\" is a required property"),
            ("written", json!({"days": 7}), "at `left`: -2 is less than the minimum of 0"),
        ] {
            let said = client.call_tool(tool, arguments).await.unwrap();
            assert!(said.is_error() && said.text().contains(expected), "{}", said.text());
        }
        assert_eq!(
            client.call_tool("written", json!({"days": "5"})).await.unwrap().text(),
            r#"{"left":0}"#
        );
        assert_eq!(client.call_tool("typed", json!({"d": 7})).await.unwrap().text(), "7");
    }
}

#[tokio::test]
async fn model_receives_an_error_that_suggests_a_fix() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new(
            "forecast",
            json!({"city": "Oslo", "days": 9}),
        )]),
        ModelResponse::from_text("sorry"),
    ]);
    let response = genkit::generate("go").model(model).tools(tools![forecast]).await.unwrap();
    let messages = response.messages();
    let tool = messages.iter().find(|message| message.role == Role::Tool).unwrap();
    let output = &tool.content[0].as_tool_response().unwrap().output;
    let said = output["error"].as_str().unwrap();
    let expected =
        "Invalid arguments for `forecast`: at `days`: 9 is greater than the maximum of 7. The";
    assert!(said.starts_with(expected), "{said}");
}

#[tokio::test]
async fn replacement_input_is_checked_before_the_run_continues() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("delete", json!({"id": 7}))]),
        ModelResponse::from_text("done"),
    ]);
    let tools = tools![delete];
    let asked = genkit::generate("go").model(model.clone()).tools(&tools).await.unwrap();
    let question = asked.interrupts().remove(0);
    let go_on = |id: u8| {
        let answer = question.approve_with(json!({ "id": id }));
        genkit::resume_with_answers(asked.clone(), [answer])
            .model(model.clone())
            .tools(&tools)
            .into_future()
    };
    let refused = go_on(9).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert!(refused.chain().contains("at `id`: 9 is greater than the maximum of 7"), "{refused:?}");
    assert!(refused.chain().contains("the arguments given for `delete`"), "{refused:?}");
    for unfit in [json!({}), json!({"id": true}), json!({"id": 6, "name": "x"})] {
        let answer = question.approve_with(&unfit);
        let resumed = genkit::resume_with_answers(asked.clone(), [answer]);
        let refused = resumed.model(model.clone()).tools(&tools).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument, "{unfit}");
        let said = refused.chain();
        assert!(
            said.starts_with("the arguments given for `delete` do not match its schema: "),
            "{said}"
        );
    }
    assert_eq!(model.requests().len(), 1, "the caller receives the error, not the model");
    assert_eq!(go_on(6).await.unwrap().text(), "done");
}

#[tokio::test]
async fn approved_call_runs_even_if_its_tool_is_not_passed_again() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("delete", json!({"id": 6}))]),
        ModelResponse::from_text("done"),
    ]);
    let asked = genkit::generate("go").model(model.clone()).tools(tools![delete]).await.unwrap();
    let forgotten = genkit::resume(asked.clone(), |question| question.approve());
    let error = forgotten.model(model.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.chain().contains("the run waits for the tool `delete`"), "{error:?}");
    assert_eq!(model.requests().len(), 1, "the model is not asked");
    let denied = genkit::resume(asked, |question| question.decline_with("no"));
    assert_eq!(denied.model(model).await.unwrap().text(), "done", "nothing is to be run");
}

#[tokio::test]
async fn answer_to_a_form_keeps_the_bounds_of_the_form() {
    let client = |guests: u8| {
        let answer = move |_: &str, _: &Value| Some(json!({ "guests": guests }));
        Client::builder().on_elicit(answer).connect(serving(tools![book]))
    };
    let said = client(5).await.unwrap().call_tool("book", json!({})).await.unwrap();
    assert!(said.is_error(), "{}", said.text());
    let expected = "the user's answer does not match the form: at `guests`: 5 is greater than the maximum of 4";
    assert_eq!(said.text(), expected);
    let said = client(4).await.unwrap().call_tool("book", json!({})).await.unwrap();
    assert_eq!(said.text(), "a table for 4");
}

/// Asks with a form that was written by hand.
#[tool]
async fn by_hand(ctx: &Context) -> Result<Value> {
    let form = json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": 4}}});
    ctx.elicit_form("How many?", form).await?.accepted()
}

/// An invalid answer is an error in a session; without a session the user is asked again.
#[tokio::test]
async fn form_that_was_written_by_hand_keeps_its_bounds_in_both_eras() {
    let asked = Arc::new(AtomicU32::new(0));
    let builder = || {
        let asked = Arc::clone(&asked);
        Client::builder()
            .on_elicit(move |_, _| Some(json!({"n": 5 - asked.fetch_add(1, Ordering::SeqCst)})))
    };
    let session = builder().connect(serving(tools![by_hand])).await.unwrap();
    let said = session.call_tool("by_hand", json!({})).await.unwrap();
    assert!(said.is_error() && said.text().contains("at `n`: 5 is greater than the maximum of 4"));
    asked.store(0, Ordering::SeqCst);
    let modern = builder().modern(true).connect(serving(tools![by_hand])).await.unwrap();
    let said = modern.call_tool("by_hand", json!({})).await.unwrap();
    assert_eq!((said.text().as_str(), asked.load(Ordering::SeqCst)), (r#"{"n":4}"#, 2));
    let ctx = Context::testing().answer(json!({"n": 9})).build();
    assert!(by_hand(&ctx).await.unwrap_err().chain().contains("maximum of 4"));
}

/// Counts down.
#[tool]
async fn count_down(#[schemars(range(max = 7))] id: u8) -> u8 {
    id
}

fn puts_in_9() -> impl Middleware {
    on_tool(|mut call, next| async move {
        call.request.input["id"] = json!(9);
        next.run(call).await
    })
}

#[tokio::test]
async fn arguments_changed_by_middleware_are_checked() {
    let client = |modern: bool| {
        let registry = Registry::new().add(tools![count_down]);
        let genkit = Genkit::builder().registry(registry).middleware(puts_in_9()).build();
        Client::builder().modern(modern).connect(genkit.unwrap().serve_mcp())
    };
    let bound = "at `id`: 9 is greater than the maximum of 7";
    for modern in [false, true] {
        let said = client(modern).await.unwrap().call_tool("count_down", json!({"id": 1})).await;
        assert!(said.unwrap().text().contains(bound), "modern: {modern}");
    }
    let call = ToolRequest::new("count_down", json!({"id": 1}));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([call]),
        ModelResponse::from_text("done"),
    ]);
    let run = genkit::generate("go").model(model.clone()).tools(tools![count_down]);
    run.middleware(puts_in_9()).await.unwrap();
    let said = model.tool_outputs("count_down").remove(0);
    assert!(said["error"].as_str().unwrap().contains(bound), "{said}");
}

#[tokio::test]
async fn tool_without_a_body_keeps_the_bounds_of_its_input() {
    let asks = Tool::builder("ask", "Asks the user.").input::<Item>().interrupts();
    let outcome = asks.call(&ToolRequest::new("ask", json!({"days": 9}))).await.unwrap();
    let said = outcome.into_response().unwrap();
    assert!(said.error().unwrap().contains("at `days`: 9 is greater than the maximum of 7"));
    let outcome = asks.call(&ToolRequest::new("ask", json!({"days": 7}))).await.unwrap();
    assert!(outcome.is_interrupted());
}

#[tokio::test]
async fn structured_output_keeps_its_bounds() {
    let model = |text: &str| ScriptedModel::text(text);
    let ask =
        |text: &str| genkit::generate("Order?").output::<Order>().model(model(text)).into_future();
    let response = ask(r#"{"items": [{"days": 7}, {"days": 9}]}"#).await.unwrap();
    let Err(said) = response.output::<Order>() else { panic!("9 is too much") };
    assert_eq!(said.kind(), ErrorKind::InvalidArgument);
    assert!(
        said.to_string().contains("at `items[1].days`: 9 is greater than the maximum of 7"),
        "{said}"
    );
    let response = ask(r#"{"items": [{"d": 7}]}"#).await.unwrap();
    assert_eq!(response.output::<Order>().unwrap().items[0].days, 7);
}

/// Has a pattern that cannot be checked.
#[tool]
async fn unreadable(#[schemars(regex(pattern = "(?=a)"))] text: String) -> String {
    text
}

#[tokio::test]
async fn uncheckable_schema_is_an_error_at_startup() {
    let registry = Registry::new().add(tools![unreadable]);
    let said = Genkit::builder().registry(registry).build().unwrap_err().to_string();
    assert!(said.contains("tool `unreadable` (tests/behaviour/bounds.rs:"), "{said}");
    assert!(said.contains("the pattern `(?=a)` cannot be checked"), "{said}");
    let said =
        genkit::generate("go").model(ScriptedModel::text("x")).tools(tools![unreadable]).await;
    assert!(said.unwrap_err().chain().contains("the pattern `(?=a)` cannot be checked"));
    let messages = vec![Message::user("go")];
    let schema = json!({"type": "object", "properties": {"a": {"pattern": "(?!a)"}}});
    let run = genkit::generate(()).messages(messages).output_schema(schema);
    let said = run.model(ScriptedModel::text("{}")).await.unwrap_err();
    assert!(said.chain().contains("the pattern `(?!a)` cannot be checked"), "{said}");
}

#[tokio::test]
async fn validation_feature_checks_all_keywords() {
    let tool = Tool::builder("open", "By hand.")
        .input_schema(json!({
            "type": "object", "properties": {"a": {"pattern": "^(?!x)"}}, "unevaluatedProperties": false,
        }))
        .handler(|_: Context, input: Value| async move { Ok(input) });
    let client = Client::connect(serving([tool])).await.unwrap();
    for (arguments, is_error) in
        [(json!({"a": "y"}), false), (json!({"a": "x"}), true), (json!({"b": 1}), true)]
    {
        assert_eq!(client.call_tool("open", arguments).await.unwrap().is_error(), is_error);
    }
}
