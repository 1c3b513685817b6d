//! Lazy tools: searched by the provider of the model, or by the run.

use std::sync::atomic::{AtomicU32, Ordering};

use genkit::generate::{ToolRef, ToolSource};
use genkit::message::{ToolRequest, ToolResponse};
use genkit::middleware::{fallback, tool_search};
use genkit::model::{ModelInfo, ModelResponse, Supports, ToolChoice};
use genkit::testing::ScriptedModel;
use genkit::{
    Approval, BoxFuture, Context, Error, ErrorKind, Message, Part, Role, Tool, tool, tools,
};
use serde_json::{Value, json};

use super::outputs;
use crate::logged::Log;

/// Returns `count` lazy tools: `shop/item_0`, ..
fn shop(count: usize) -> Vec<Tool> {
    let item = |n: usize| {
        Tool::builder(format!("shop/item_{n}"), format!("Sells item {n}."))
            .lazy(true)
            .handler(move |_: Context, _: Value| async move { Ok(n) })
    };
    (0..count).map(item).collect()
}

/// Forecasts the weather.
#[tool]
async fn weather(city: String) -> String {
    format!("rain in {city}")
}

/// Empties the shop.
#[tool(lazy, needs_approval)]
async fn empty_shop() -> &'static str {
    "empty"
}

fn calls<const N: usize>(calls: [(&str, Value); N]) -> ModelResponse {
    ModelResponse::from_tool_requests(calls.map(|(name, input)| ToolRequest::new(name, input)))
}

fn script<const N: usize>(turns: [ModelResponse; N]) -> ScriptedModel {
    ScriptedModel::new(turns.into_iter().chain([ModelResponse::from_text("done")]))
}

/// Returns a model whose provider searches tools.
fn searching<const N: usize>(turns: [ModelResponse; N]) -> ScriptedModel {
    let supports = Supports::all().with_tool_search(true);
    script(turns).with_info(ModelInfo::default().with_supports(supports))
}

/// Returns the names of the tools of a request; those that are lazy have a `~`.
fn offered(model: &ScriptedModel, turn: usize) -> Vec<String> {
    let tools = model.requests()[turn].tools.clone();
    tools.iter().map(|tool| format!("{}{}", if tool.lazy { "~" } else { "" }, tool.name)).collect()
}

fn with_weather(mut tools: Vec<Tool>) -> Vec<Tool> {
    tools.extend(tools![weather]);
    tools
}

#[tokio::test]
async fn model_without_a_search_finds_lazy_tools_with_a_tool() {
    let (log, _listening) = Log::listening();
    let model = script([
        calls([("search_tools", json!({"query": "item 2"}))]),
        calls([("shop/item_2", json!({})), ("weather", json!({"city": "Rome"}))]),
    ]);
    let run = genkit::generate("go").model(model.clone()).tools(with_weather(shop(3)));
    let response = run.await.unwrap();
    assert_eq!(offered(&model, 0), ["search_tools", "weather"]);
    assert!(model.requests()[0].tools[0].description.contains("\n- shop/item_2: Sells item 2."));
    assert_eq!(offered(&model, 1)[..2], ["search_tools", "weather"]);
    assert!(offered(&model, 1).contains(&"shop/item_2".to_owned()));
    assert_eq!(outputs(&response)[1..], [json!(2), json!("rain in Rome")]);
    let logged = log.take("lazy tools");
    assert_eq!(logged.len(), 1, "one line for the run: {logged:?}");
    assert!(logged[0].contains("lazy=3"), "{logged:?}");
}

#[tokio::test]
async fn model_with_a_search_receives_all_tools_with_their_marks() {
    let (log, _listening) = Log::listening();
    let model = searching([calls([("shop/item_2", json!({}))])]);
    let run = genkit::generate("go").model(model.clone()).tools(with_weather(shop(3)));
    let response = run.await.unwrap();
    for turn in 0..2 {
        assert_eq!(
            offered(&model, turn),
            ["~shop/item_0", "~shop/item_1", "~shop/item_2", "weather"],
            "the same in each turn, so that the cache of the provider stays valid"
        );
    }
    assert_eq!(outputs(&response), [json!(2)]);
    assert_eq!(log.take("lazy tools"), [""; 0]);
}

#[tokio::test]
async fn run_without_lazy_tools_has_no_search() {
    let model = script([]);
    genkit::generate("go").model(model.clone()).tools(tools![weather]).await.unwrap();
    assert_eq!(offered(&model, 0), ["weather"]);
}

#[tokio::test]
async fn tools_that_one_model_opened_are_complete_for_another() {
    let opened = json!({"opened": [{"name": "shop/item_1", "description": "Sells item 1."}]});
    let request = ToolRequest::new("search_tools", json!({"query": "item 1"}));
    let history = [
        Message::user("go"),
        Message::new(Role::Model, [Part::tool_request(request.clone())]),
        Message::new(Role::Tool, [Part::from(request.respond(opened))]),
        Message::model("Found it."),
    ];
    let model = searching([]);
    let run = genkit::generate("again").messages(history).model(model.clone());
    run.tools(with_weather(shop(3))).await.unwrap();
    assert_eq!(offered(&model, 0), ["~shop/item_0", "shop/item_1", "~shop/item_2", "weather"]);
}

#[tokio::test]
async fn fallback_to_a_model_without_a_search_hides_lazy_tools() {
    let down = ScriptedModel::new([Err(Error::new(ErrorKind::Unavailable, "down"))]);
    let supports = Supports::all().with_tool_search(true);
    let down = down.with_info(ModelInfo::default().with_supports(supports));
    let spare = script([]);
    let run = genkit::generate("go").model(down.clone()).tools(with_weather(shop(3)));
    run.middleware(fallback([spare.clone()])).await.unwrap();
    assert_eq!(offered(&down, 0).len(), 4);
    assert_eq!(offered(&spare, 0), ["search_tools", "weather"]);
}

#[tokio::test]
async fn tool_that_is_chosen_is_offered() {
    for model in [script([]), searching([])] {
        let run = genkit::generate("go").model(model.clone()).tools(with_weather(shop(3)));
        run.tool_choice(ToolChoice::tool("shop/item_1")).max_turns(1).await.unwrap();
        assert!(offered(&model, 0).contains(&"shop/item_1".to_owned()), "{:?}", offered(&model, 0));
    }
}

#[tokio::test]
async fn lazy_tools_are_approved_like_others() {
    let model = script([
        calls([("search_tools", json!({"query": "empty"}))]),
        calls([("empty_shop", json!({}))]),
    ]);
    let run =
        genkit::generate("go").model(model).tools(tools![weather, empty_shop]).approval(|call| {
            match call.tool().is_some_and(Tool::needs_approval) {
                true => Approval::ask("Really?"),
                false => Approval::Allow,
            }
        });
    let open = run.clone().await.unwrap();
    assert_eq!(open.interrupts().len(), 1);
    let response = run.resume(open, |question| question.approve()).await.unwrap();
    assert_eq!(outputs(&response)[1], "empty");
}

#[tokio::test]
async fn explicit_search_replaces_that_of_the_provider() {
    let model = searching([calls([("search_tools", json!({"names": ["shop/item_1"]}))])]);
    let run = genkit::generate("go").model(model.clone()).tools(shop(20));
    run.middleware(tool_search()).await.unwrap();
    assert_eq!(offered(&model, 0), ["search_tools"]);
    assert_eq!(offered(&model, 1), ["search_tools", "shop/item_1"]);
}

#[tokio::test]
async fn hundreds_of_tools_are_counted_by_groups() {
    let model = script([]);
    genkit::generate("go").model(model.clone()).tools(shop(300)).await.unwrap();
    let about = &model.requests()[0].tools[0].description;
    assert!(about.ends_with("There are 300 tools; search them by a query. Groups: shop (300)."));
}

#[tokio::test]
async fn tokens_of_a_run_are_counted_without_lazy_tools() {
    let model = script([]).with_token_counts(|request| request.tools.len() as u64);
    let run = genkit::generate("go").model(model).tools(with_weather(shop(300)));
    assert_eq!(run.count_tokens().await.unwrap(), 2);
}

#[tokio::test]
async fn runs_of_a_chat_keep_what_is_open() {
    let model = ScriptedModel::new([
        calls([("search_tools", json!({"names": ["shop/item_1"]}))]),
        ModelResponse::from_text("open"),
        ModelResponse::from_text("again"),
    ]);
    let mut chat = genkit::generate(()).model(model.clone()).tools(shop(3)).chat();
    chat.send("one").await.unwrap();
    chat.send("two").await.unwrap();
    assert_eq!(offered(&model, 2), ["search_tools", "shop/item_1"]);
    let answers: Vec<&ToolResponse> =
        chat.messages().iter().flat_map(Message::tool_responses).collect();
    assert_eq!(answers.len(), 1);
}

#[tokio::test]
async fn closed_tool_that_is_called_is_opened_first() {
    let model = script([calls([("shop/item_0", json!({}))]), calls([("shop/item_0", json!({}))])]);
    // In the second turn, all tools of the run are offered.
    let run = genkit::generate("go").model(model.clone()).tools(with_weather(shop(1)));
    let response = run.await.unwrap();
    let outputs = outputs(&response);
    assert!(outputs[0]["error"].as_str().unwrap().contains("was not open"), "{}", outputs[0]);
    assert_eq!(outputs[1], 0);
    assert_eq!(offered(&model, 1), ["search_tools", "weather", "shop/item_0"]);
}

/// A list of tools that contains a lazy tool from the second listing on.
#[derive(Default)]
struct Growing(AtomicU32);

impl ToolSource for Growing {
    fn tools(&self) -> BoxFuture<'_, genkit::Result<Vec<Tool>>> {
        let is_first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
        let tools = if is_first { tools![weather] } else { tools![weather, empty_shop] };
        Box::pin(async { Ok(tools) })
    }
}

#[tokio::test]
async fn lazy_tools_that_appear_during_a_run_are_searched() {
    let model = script([calls([("weather", json!({"city": "Rome"}))])]);
    let run = genkit::generate("go").model(model.clone());
    run.tools([ToolRef::live(Growing::default())]).await.unwrap();
    assert_eq!(offered(&model, 0), ["weather"]);
    assert_eq!(offered(&model, 1), ["search_tools", "weather"]);
}
