//! The return values of functions, and the results that clients receive.

use genkit::mcp::rmcp::RawItem as _;
use genkit::testing::Client;
use genkit::{Part, Result, ToolReply, tool, tools};
use serde_json::{Value, json};

use crate::serving;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Weather {
    celsius: f64,
    wind: Option<u8>,
}

/// A struct.
#[tool]
async fn weather() -> Weather {
    Weather { celsius: 21.5, wind: None }
}

/// Plain text.
#[tool]
async fn text() -> &'static str {
    "plain"
}

/// A number.
#[tool]
async fn number() -> u32 {
    7
}

/// A list.
#[tool]
async fn list() -> Vec<String> {
    vec!["a".into(), "b".into()]
}

/// Nothing.
#[tool]
async fn nothing() {}

/// Perhaps a number.
#[tool]
async fn maybe() -> Option<u32> {
    None
}

/// Any JSON.
#[tool]
async fn any() -> Value {
    json!({"free": true})
}

/// A value beside a text.
#[tool]
async fn both() -> ToolReply<Weather> {
    ToolReply::new(Weather { celsius: 1.0, wind: Some(2) })
        .with_text("cold")
        .with_meta("source", "test")
}

/// Pictures and text.
#[tool]
async fn parts() -> Result<Vec<Part>> {
    Ok(vec![
        Part::text("look"),
        Part::image("image/png", [1, 2]),
        Part::audio("audio/wav", [3]),
        Part::resource_link("file:///tmp/report.txt"),
        Part::media("https://example.com/cat.png", "image/png"),
    ])
}

type Fallible<T> = std::result::Result<T, std::num::ParseIntError>;

/// A result under another name.
#[tool]
async fn parse(text: String) -> Fallible<i64> {
    text.parse()
}

fn all() -> genkit::mcp::McpServer {
    serving(tools![weather, text, number, list, nothing, maybe, any, both, parts, parse])
}

async fn clients() -> [Client; 2] {
    let legacy = Client::connect(all()).await.expect("it connects");
    let modern = Client::builder().modern(true).connect(all()).await.expect("it connects");
    [legacy, modern]
}

#[tokio::test]
async fn objects_are_structured_and_have_a_schema_in_both_eras() {
    for client in clients().await {
        let tools = client.tools().await.unwrap();
        let tool = tools.iter().find(|tool| tool.name() == "weather").unwrap();
        let schema = Value::Object(tool.output_schema().unwrap().clone());
        assert_eq!(schema["type"], "object");
        let answer = client.call_tool("weather", json!({})).await.unwrap();
        assert_eq!(answer.structured(), Some(&json!({"celsius": 21.5, "wind": null})));
        assert_eq!(answer.text(), r#"{"celsius":21.5,"wind":null}"#);
        assert!(jsonschema::is_valid(&schema, answer.structured().unwrap()), "{schema}");
    }
}

#[tokio::test]
async fn text_result_is_text_and_unit_result_is_empty() {
    for client in clients().await {
        let answer = client.call_tool("text", json!({})).await.unwrap();
        assert_eq!((answer.text().as_str(), answer.structured()), ("plain", None));
        let answer = client.call_tool("nothing", json!({})).await.unwrap();
        assert_eq!((answer.raw().content.len(), answer.structured()), (0, None));
        for tool in client.tools().await.unwrap() {
            if ["text", "nothing", "any", "parts"].contains(&tool.name()) {
                assert_eq!(tool.output_schema(), None, "{}", tool.name());
            }
        }
    }
}

#[tokio::test]
async fn non_object_results_are_wrapped_for_older_clients() {
    let [legacy, modern] = clients().await;
    for (name, value) in [("number", json!(7)), ("list", json!(["a", "b"])), ("maybe", json!(null))]
    {
        for (client, expected) in [(&legacy, json!({"result": value})), (&modern, value.clone())] {
            let answer = client.call_tool(name, json!({})).await.unwrap();
            assert_eq!(answer.structured(), Some(&expected), "{name}");
            let tools = client.tools().await.unwrap();
            let tool = tools.iter().find(|tool| tool.name() == name).unwrap();
            let schema = Value::Object(tool.output_schema().unwrap().clone());
            assert!(jsonschema::is_valid(&schema, &expected), "{name}: {schema}");
        }
    }
}

#[tokio::test]
async fn structured_value_can_accompany_text() {
    for client in clients().await {
        let answer = client.call_tool("both", json!({})).await.unwrap();
        assert_eq!(answer.text(), "cold");
        assert_eq!(answer.structured().unwrap()["wind"], 2);
        assert_eq!(answer.meta().unwrap()["source"], "test");
        let wire = serde_json::to_value(answer.raw()).unwrap();
        assert_eq!(wire["_meta"]["source"], "test");
    }
}

#[tokio::test]
async fn parts_become_blocks() {
    for client in clients().await {
        let answer = client.call_tool("parts", json!({})).await.unwrap();
        let blocks = serde_json::to_value(&answer.raw().content).unwrap();
        let kinds: Vec<_> = blocks.as_array().unwrap().iter().map(|b| b["type"].clone()).collect();
        assert_eq!(kinds, ["text", "image", "audio", "resource_link", "resource_link"]);
        assert_eq!(blocks[1]["data"], "AQI=");
        assert_eq!(blocks[3]["name"], "report.txt");
        let parts = answer.parts();
        let image = || Part::media("data:image/png;base64,AQI=", "image/png");
        assert_eq!((parts.len(), &parts[1]), (5, &image()));
        assert!(
            matches!(&parts[3], Part::Resource { resource, .. } if resource.uri == "file:///tmp/report.txt")
        );
    }
}

#[tokio::test]
async fn any_alias_of_result_is_a_result() {
    let client = Client::connect(all()).await.unwrap();
    assert_eq!(client.call_tool("parse", json!({"text": "5"})).await.unwrap().text(), "5");
    let failed = client.call_tool("parse", json!({"text": "x"})).await.unwrap();
    assert!(failed.is_error());
    assert_eq!(failed.text(), "invalid digit found in string");
}

#[tokio::test]
async fn free_json_is_structured_where_it_is_an_object() {
    let client = Client::connect(all()).await.unwrap();
    let answer = client.call_tool("any", json!({})).await.unwrap();
    assert_eq!(answer.structured(), Some(&json!({"free": true})));
}
