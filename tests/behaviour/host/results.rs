//! Results of tools: the intended value, in both eras, without losses.

use genkit::mcp::rmcp::{self, peer_tools};
use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::ModelResponse;
use genkit::testing::{Client, ScriptedModel};
use genkit::{Genkit, Part, Registry, Tool, ToolReply, tool, tools};
use serde_json::{Value, json};

use super::{ERAS, host, registry, server};

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Weather {
    celsius: i64,
}

/// A number.
#[tool]
async fn number() -> i64 {
    5
}

/// A list.
#[tool]
async fn list() -> Vec<String> {
    vec!["a".into(), "b".into()]
}

/// Perhaps a number.
#[tool]
async fn maybe() -> Option<i64> {
    None
}

/// An object whose only member is named as that of a wrapper.
#[tool]
async fn object() -> std::collections::BTreeMap<String, i64> {
    [("result".to_owned(), 7)].into()
}

/// An image.
#[tool]
async fn image() -> Part {
    Part::image("image/png", b"dot")
}

/// An image between texts.
#[tool]
async fn shown() -> Vec<Part> {
    vec![Part::text("before"), Part::image("image/png", b"dot"), Part::text("after")]
}

/// A value beside an image.
#[tool]
async fn weather() -> ToolReply<Weather> {
    ToolReply::new(Weather { celsius: 21 }).with_part(Part::image("image/png", b"dot"))
}

/// A value beside words of its own.
#[tool]
async fn told() -> ToolReply<Weather> {
    ToolReply::new(Weather { celsius: 21 }).with_text("It is warm.")
}

/// Anything: a number.
#[tool]
async fn any() -> Value {
    json!(5)
}

fn all() -> Registry {
    let written = Tool::builder("written", "A schema written by hand, with a definition.")
        .input_schema(json!({"type": "object"}))
        .output_schema(json!({
            "type": "array",
            "items": {"$ref": "#/$defs/Note"},
            "$defs": {"Note": {"type": "string"}},
        }))
        .handler(async |_, _: Value| Ok(json!(["x"])));
    registry(tools![number, list, maybe, object, image, shown, weather, told, any]).add([written])
}

fn dot() -> Value {
    serde_json::to_value(Part::image("image/png", b"dot")).unwrap()
}

/// Returns the result of a tool, as a model receives it.
async fn in_a_loop(tools: impl genkit::generate::IntoTools, name: &str) -> ToolResponse {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new(name, json!({}))]),
        ModelResponse::from_text("Done."),
    ]);
    let response = genkit::generate("Go.").model(model).tools(tools).await.unwrap();
    let parts = response.messages().into_iter().flat_map(|message| message.content.clone());
    parts.filter_map(|part| part.as_tool_response().cloned()).next().unwrap()
}

#[tokio::test]
async fn host_removes_the_result_wrapper_of_the_server() {
    for era in ERAS {
        let host = host(server(&all()).protocol(era));
        let client = host.client("s").unwrap();
        let peer = peer_tools([rmcp::peer(&client).await.unwrap()]).await.unwrap();
        for (name, value) in [
            ("number", json!(5)),
            ("list", json!(["a", "b"])),
            ("maybe", Value::Null),
            ("object", json!({"result": 7})),
            ("any", json!(5)),
            ("written", json!(["x"])),
        ] {
            let full = format!("s/{name}");
            let called = host.call_tool(&full, json!({})).await.unwrap();
            assert_eq!(called, value, "{era:?} {name}");
            assert_eq!(client.call_tool(name, json!({})).await.unwrap(), value, "{era:?} {name}");
            let answer = in_a_loop(host.tools(), &full).await;
            assert_eq!((answer.output, answer.content), (value.clone(), vec![]), "{era:?} {name}");
            let answer = in_a_loop(&peer, name).await;
            assert_eq!((answer.output, answer.content), (value, vec![]), "{era:?} peer {name}");
        }
        let tools = client.tools().await.unwrap();
        let schema = |name: &str| {
            let tool = tools.iter().find(|tool| tool.name() == name).unwrap();
            tool.output_schema().unwrap().clone()
        };
        assert_eq!(schema("number")["type"], "integer", "{era:?}");
        assert_eq!(schema("list")["type"], "array", "{era:?}");
        assert_eq!(schema("object")["type"], "object", "{era:?}");
        assert_eq!(schema("written")["items"], json!({"$ref": "#/$defs/Note"}));
        assert_eq!(schema("written")["$defs"]["Note"], json!({"type": "string"}));
        let shown =
            serde_json::to_string(&tools.iter().map(Tool::output_schema).collect::<Vec<_>>());
        assert!(!shown.unwrap().contains("wrap-result"));
    }
}

/// The manual loop: one call, and one round of a response.
#[tokio::test]
async fn tools_of_a_server_are_called_by_hand() {
    for era in ERAS {
        let host = host(server(&all()).protocol(era));
        let request = ToolRequest::new("s/number", json!({}));
        let tools = host.tools().await.unwrap();
        let tool = tools.iter().find(|tool| tool.name() == "s/number").unwrap();
        let answer = tool.call(&request).await.unwrap().into_response().unwrap();
        assert_eq!(answer.output, 5, "{era:?}");

        let model = ScriptedModel::new([ModelResponse::from_tool_requests([request])]);
        let run = genkit::generate("Go.").model(model).tools(host.tools());
        let asked = run.return_tool_requests(true).await.unwrap();
        let round = asked.run_tools(host.tools()).await.unwrap();
        let answers = round.messages().pop().unwrap();
        assert_eq!(answers.content[0].as_tool_response().unwrap().output, 5, "{era:?}");
    }
}

/// One host behind another: metadata that one adds, the other removes, in all combinations of eras.
#[tokio::test]
async fn through_a_proxy_values_stay_values() {
    for (near, far) in [(ERAS[0], ERAS[0]), (ERAS[0], ERAS[1]), (ERAS[1], ERAS[0])] {
        let behind = host(server(&all()).protocol(far));
        let front = Registry::new();
        behind.register_in(&front).await;
        let host = host(server(&front).protocol(near));
        for (name, value) in [
            ("number", json!(5)),
            ("list", json!(["a", "b"])),
            ("object", json!({"result": 7})),
            ("any", json!(5)),
            ("image", dot()),
            ("shown", json!([{"text": "before\nafter"}, dot()])),
            ("weather", json!([{"data": {"celsius": 21}}, dot()])),
        ] {
            let called = host.call_tool(&format!("s/s__{name}"), json!({})).await.unwrap();
            assert_eq!(called, value, "{near:?} {far:?} {name}");
        }
        let told = in_a_loop(host.tools(), "s/s__told").await;
        assert_eq!(
            (told.output, told.content),
            (json!({"celsius": 21}), vec![Part::text("It is warm.")])
        );
    }
}

#[tokio::test]
async fn nothing_of_a_result_is_dropped() {
    for era in ERAS {
        let host = host(server(&all()).protocol(era));
        let call = async |name: &str| host.call_tool(name, json!({})).await.unwrap();
        assert_eq!(call("s/image").await, dot(), "one part is that part");
        let part: Part = serde_json::from_value(call("s/image").await).unwrap();
        assert_eq!(part, Part::image("image/png", b"dot"));
        let all = json!([{"text": "before"}, dot(), {"text": "after"}]);
        assert_eq!(call("s/shown").await, all);
        assert_eq!(call("s/weather").await, json!([{"data": {"celsius": 21}}, dot()]));
        assert_eq!(call("s/told").await, json!({"celsius": 21}));
        // A model receives the value, and the content in addition to it.
        let weather = in_a_loop(host.tools(), "s/weather").await;
        assert_eq!(weather.output, json!({"celsius": 21}));
        assert_eq!(weather.content, [Part::image("image/png", b"dot")]);
        let told = in_a_loop(host.tools(), "s/told").await;
        assert_eq!(
            (told.output, told.content),
            (json!({"celsius": 21}), vec![Part::text("It is warm.")])
        );
    }
}

/// Clients that do not read structured content receive the value as well.
#[tokio::test]
async fn value_next_to_an_image_is_text_for_other_clients() {
    let genkit = Genkit::builder().registry(all()).build().unwrap();
    let client = Client::connect(genkit.serve_mcp()).await.unwrap();
    let answer = client.call_tool("weather", json!({})).await.unwrap();
    assert_eq!(answer.text(), r#"{"celsius":21}"#);
}
