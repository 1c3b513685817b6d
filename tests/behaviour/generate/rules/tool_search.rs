//! Many tools: first only their names, schemas on request.

use genkit::message::ToolRequest;
use genkit::middleware::{on_model, tool_search};
use genkit::model::{ModelResponse, ToolChoice};
use genkit::testing::ScriptedModel;
use genkit::{Approval, Context, ErrorKind, GenerateResponse, Tool, tool, tools};
use serde_json::{Value, json};

/// Returns `count` tools: `shop/item_0`, ..
fn shop(count: usize) -> Vec<Tool> {
    let item = |n: usize| {
        let about = format!("Sells item {n}.\nIt is a good one.");
        let schema = json!({"type": "object", "properties": {"pieces": {"type": "integer"}}});
        Tool::builder(format!("shop/item_{n}"), about)
            .input_schema(schema)
            .handler(move |_: Context, input: Value| async move { Ok(json!([n, input["pieces"]])) })
    };
    (0..count).map(item).collect()
}

/// Forecasts the weather.
#[tool]
async fn weather(city: String) -> String {
    format!("rain in {city}")
}

fn calls<const N: usize>(calls: [(&str, Value); N]) -> ModelResponse {
    ModelResponse::from_tool_requests(calls.map(|(name, input)| ToolRequest::new(name, input)))
}

fn script<const N: usize>(turns: [ModelResponse; N]) -> ScriptedModel {
    ScriptedModel::new(turns.into_iter().chain([ModelResponse::from_text("done")]))
}

fn offered(model: &ScriptedModel, turn: usize) -> Vec<String> {
    model.requests()[turn].tools.iter().map(|tool| tool.name.clone()).collect()
}

fn outputs(response: &GenerateResponse) -> Vec<Value> {
    super::outputs(response)
}

#[tokio::test]
async fn few_tools_are_offered_as_they_are() {
    let model = script([]);
    let run = genkit::generate("go").model(model.clone()).tools(shop(16));
    run.clone().middleware(tool_search()).await.unwrap();
    assert_eq!(offered(&model, 0).len(), 16);
    let model = script([]);
    run.model(model.clone()).middleware(tool_search().threshold(15)).await.unwrap();
    assert_eq!(offered(&model, 0), ["search_tools"]);
}

#[tokio::test]
async fn names_are_listed_and_tools_that_were_opened_stay() {
    let model = script([
        calls([("search_tools", json!({"names": ["shop/item_3", "shop/item_x"]}))]),
        calls([("search_tools", json!({"query": "weather forecast"}))]),
        calls([("shop/item_3", json!({"pieces": 2})), ("weather", json!({"city": "Rome"}))]),
    ]);
    let mut tools = shop(40);
    tools.extend(tools![weather]);
    let run = genkit::generate("go").model(model.clone()).tools(tools).middleware(tool_search());
    let mut chat = run.chat();
    let response = chat.send("go").await.unwrap();
    let about = &model.requests()[0].tools[0].description;
    assert!(about.contains("\n- shop/item_7: Sells item 7.\n"), "{about}");
    assert!(about.ends_with("- weather: Forecasts the weather."), "{about}");
    assert_eq!(*about, model.requests()[2].tools[0].description, "what is cached of it stays");
    assert_eq!(offered(&model, 1), ["search_tools", "shop/item_3"]);
    assert_eq!(offered(&model, 2), ["search_tools", "shop/item_3", "weather"]);
    assert!(
        model.requests()[1].tools[1].input_schema().unwrap()["properties"]["pieces"].is_object()
    );
    let outputs = outputs(&response);
    assert_eq!(
        outputs[0]["opened"],
        json!([{"name": "shop/item_3", "description": "Sells item 3."}])
    );
    assert!(outputs[0]["unknown"][0].as_str().unwrap().contains("Unknown tool: shop/item_x"));
    assert_eq!(outputs[1]["opened"][0]["name"], "weather");
    assert_eq!(outputs[2..], [json!([3, 2]), json!("rain in Rome")]);

    let next = script([]);
    let later = genkit::generate("again").messages(chat.messages().to_vec()).model(next.clone());
    let mut tools = shop(40);
    tools.extend(tools![weather]);
    later.tools(tools).middleware(tool_search()).await.unwrap();
    assert_eq!(
        offered(&next, 0),
        ["search_tools", "shop/item_3", "weather"],
        "even in another run"
    );
}

#[tokio::test]
async fn too_many_to_list_are_searched() {
    let model = script([
        calls([("search_tools", json!({"query": "item"}))]),
        calls([("search_tools", json!({"query": "zebra"}))]),
        calls([("search_tools", json!({}))]),
    ]);
    let run = genkit::generate("go").model(model.clone()).tools(shop(1_100));
    let response = run.middleware(tool_search().results(2)).await.unwrap();
    let about = &model.requests()[0].tools[0].description;
    assert!(about.contains("There are 1100 tools") && about.len() < 300, "{about}");
    let outputs = outputs(&response);
    assert_eq!(outputs[0]["opened"].as_array().unwrap().len(), 2);
    assert_eq!(outputs[0]["alsoFits"].as_array().unwrap().len(), 32);
    assert_eq!(outputs[1], json!({"opened": [], "note": "no tool matches; try other words"}));
    assert!(outputs[2]["error"].as_str().unwrap().contains("`names`"));
    assert_eq!(offered(&model, 3).len(), 3);
}

#[tokio::test]
async fn long_lists_have_names_only_or_groups() {
    let described = |name: fn(usize) -> String, count: usize| async move {
        let tool = |n: usize| {
            let about =
                "Reads the record of this kind, with its history and with all of its comments.";
            Tool::builder(name(n), about).handler(|_: Context, (): ()| async { Ok(()) })
        };
        let model = script([]);
        let run = genkit::generate("go").model(model.clone()).tools((0..count).map(tool));
        run.middleware(tool_search()).await.unwrap();
        let about = model.requests()[0].tools[0].description.clone();
        assert!(about.len() < 8_300, "{}", about.len());
        about
    };
    let about = described(|n| format!("read_{n}"), 60).await;
    assert!(about.ends_with(
        "\n- read_59: Reads the record of this kind, with its history and with all of its comments."
    ));
    let about = described(|n| format!("read_{n}"), 150).await;
    assert!(about.contains("\n\nThe tools: read_0, read_1, "), "{about}");
    assert!(about.ends_with(", read_149."), "{about}");
    let about = described(|n| format!("shop/{}_{n}", "read".repeat(12)), 200).await;
    assert!(about.ends_with("There are 200 tools; search them by a query. Groups: shop (200)."));
    let about = described(|n| format!("shop_{n:03}/{}", "read".repeat(12)), 200).await;
    assert!(about.contains(" Groups: shop_000 (1), "), "{about}");
    assert!(about.ends_with(", shop_031 (1), and 168 more."), "{about}");
    let about = described(|n| format!("{}_{n}", "read".repeat(14)), 200).await;
    assert!(about.ends_with("There are 200 tools; search them by a query."), "{about}");
}

#[tokio::test]
async fn call_of_an_unloaded_tool_loads_it_and_can_be_corrected() {
    let model = script([
        calls([("shop/item_1", json!({"piece": 2})), ("shop/item_99", json!({}))]),
        calls([("item_1", json!({"pieces": 2}))]),
    ]);
    let run = genkit::generate("go").model(model.clone()).tools(shop(30)).middleware(tool_search());
    let response = run.await.unwrap();
    let outputs = outputs(&response);
    assert!(outputs[0]["error"].as_str().unwrap().contains("`shop/item_1` was not open"));
    assert!(outputs[1]["error"].as_str().unwrap().contains("Unknown tool"), "{}", outputs[1]);
    assert_eq!(outputs[2], json!([1, 2]));
    assert_eq!(offered(&model, 1), ["search_tools", "shop/item_1"]);
}

#[tokio::test]
async fn some_are_always_offered_and_one_that_is_chosen() {
    let model = script([calls([("shop/item_9", json!({}))])]);
    let run = genkit::generate("go")
        .model(model.clone())
        .tools(shop(30))
        .tool_choice(ToolChoice::tool("shop/item_9"))
        .middleware(tool_search().always(["shop/item_2*"]));
    let response = run.await.unwrap();
    assert_eq!(offered(&model, 0).len(), 1 + 11 + 1);
    assert_eq!(outputs(&response), [json!([9, null])]);
    assert!(!model.requests()[0].tools[0].description.contains("item_21"));
}

#[tokio::test]
async fn tools_that_are_opened_are_approved_like_others() {
    let model = script([
        calls([("search_tools", json!({"names": ["shop/item_1"]}))]),
        calls([("shop/item_1", json!({"pieces": 1}))]),
    ]);
    let run = genkit::generate("go")
        .model(model.clone())
        .tools(shop(30))
        .middleware(tool_search())
        .approval(|call| Approval::ask(format!("{}?", call.request().name)));
    let open = run.clone().await.unwrap();
    let questions = open.interrupts();
    assert_eq!((questions.len(), questions[0].message()), (1, Some("shop/item_1?")));
    let response = run.resume(open, |question| question.approve()).await.unwrap();
    assert_eq!(outputs(&response)[1], json!([1, 1]));
    assert_eq!(offered(&model, 2), ["search_tools", "shop/item_1"], "after a resume, too");
}

#[tokio::test]
async fn runs_do_not_share_what_is_open() {
    let search = tool_search();
    let opening = |name: &str| {
        let model = script([calls([("search_tools", json!({"names": [name]}))])]);
        let run =
            genkit::generate("go").model(model.clone()).tools(shop(30)).middleware(search.clone());
        (model, run)
    };
    let ((one, first), (two, second)) = (opening("shop/item_1"), opening("shop/item_2"));
    let (first, second) = tokio::join!(first.run(), second.run());
    first.and(second).unwrap();
    assert_eq!(offered(&one, 1)[1], "shop/item_1");
    assert_eq!(offered(&two, 1)[1], "shop/item_2");
}

#[tokio::test]
async fn second_question_of_a_middleware_closes_nothing() {
    let judge = on_model(|request, chunks, next| async move {
        let answer = next.clone().run(&request, &chunks).await?;
        let mut check = request.clone();
        check.tools.clear();
        next.run(&check, &chunks).await?;
        Ok::<_, genkit::Error>(answer)
    });
    let say = || ModelResponse::from_text("fine");
    let model =
        ScriptedModel::new([calls([("weather", json!({"city": "Rome"}))]), say(), say(), say()]);
    let run = genkit::generate("go").model(model).tools(tools![weather]).middleware(judge);
    assert_eq!(outputs(&run.await.unwrap()), ["rain in Rome"]);
}

/// A tool with the name of the search.
#[tool]
async fn search_tools() -> u32 {
    1
}

#[tokio::test]
async fn taken_tool_name_is_an_error() {
    let run = genkit::generate("go").model(script([])).tools(tools![search_tools]);
    let error = run.middleware(tool_search()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
}
