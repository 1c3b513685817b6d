//! `Tool::renamed`, `Tool::described`, `Tool::with_fixed`: in the loop, over MCP, and for tools of other servers.

use genkit::mcp::host::{McpHost, ServerConfig};
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Context, ErrorKind, Registry, Tool, tool};
use serde_json::{Value, json};

use super::eras;
use crate::serving;

/// Where to look.
#[derive(serde::Deserialize, schemars::JsonSchema, Debug)]
enum Place {
    Archive,
    Inbox,
}

/// Searches.
#[tool(title = "Search", read_only, tags("find"))]
async fn search(
    place: Place,
    words: String,
    #[schemars(range(min = 1))] limit: Option<u32>,
) -> String {
    format!("{words} in {place:?}, {limit:?}")
}

/// Deletes.
#[tool(needs_approval)]
async fn delete(folder: String, id: u64) -> String {
    format!("{folder}/{id} is gone")
}

fn archive() -> Tool {
    let tool = Tool::of::<search>().renamed("search_archive").described("Searches the archive.");
    tool.with_fixed("place", "Archive").unwrap()
}

async fn called(tool: &Tool, input: Value) -> genkit::message::ToolResponse {
    let request = ToolRequest::new(tool.name(), input);
    tool.call(&request).await.unwrap().into_response().unwrap()
}

#[test]
fn renamed_tool_keeps_its_other_attributes() {
    let tool = archive();
    assert_eq!((tool.name(), tool.description()), ("search_archive", "Searches the archive."));
    assert_eq!((tool.title(), tool.annotations().read_only), (Some("Search"), Some(true)));
    assert_eq!(tool.tags().collect::<Vec<_>>(), ["find"]);
    assert_eq!(tool.location(), Tool::of::<search>().location());
    let schema = tool.input_schema();
    assert_eq!(schema["required"], json!(["words"]));
    assert!(
        schema["properties"].get("place").is_none() && schema["properties"]["limit"].is_object()
    );
    // The original is unchanged.
    assert_eq!(Tool::of::<search>().input_schema()["required"], json!(["place", "words"]));
    Registry::new().add([archive(), Tool::of::<search>()]).check().unwrap();
    let bad = Registry::new().add(Tool::of::<search>().renamed("a b")).check().unwrap_err();
    assert!(bad.to_string().contains("a name must be 1 to 64 characters long"), "{bad}");
}

#[tokio::test]
async fn caller_cannot_set_a_fixed_argument() {
    let tool = archive();
    assert_eq!(called(&tool, json!({"words": "milk"})).await.output, "milk in Archive, None");
    let sent = called(&tool, json!({"words": "milk", "limit": 2})).await;
    assert_eq!(sent.output, "milk in Archive, Some(2)");
    let sent = called(&tool, json!({"words": "milk", "place": "Inbox"})).await;
    assert!(sent.error().is_some_and(|error| error.contains("`place`")), "{sent:?}");
    // The remaining arguments are checked as before, by type and by bounds.
    for (input, said) in [
        (json!({}), "words"),
        (json!({"words": 7, "limit": 0}), "limit"),
        (json!({"words": "milk", "limit": 0}), "limit"),
        (Value::Null, "words"),
    ] {
        let answer = called(&tool, input).await;
        assert!(answer.error().is_some_and(|error| error.contains(said)), "{answer:?}");
    }
    // Applied one after the other.
    let nothing = Tool::of::<search>().with_fixed("place", "Inbox").unwrap();
    let nothing = nothing.with_fixed("words", "tea").unwrap().with_fixed("limit", 3).unwrap();
    assert_eq!(called(&nothing, json!({})).await.output, "tea in Inbox, Some(3)");
    assert_eq!(called(&nothing, Value::Null).await.output, "tea in Inbox, Some(3)");
}

#[test]
fn unfixable_argument_is_an_error() {
    for (argument, value, said) in [
        ("plaec", json!("Archive"), "the tool has no argument with this name"),
        ("place", json!("Attic"), "place"),
        ("limit", json!(0), "limit"),
        ("words", json!(7), "words"),
    ] {
        let error = Tool::of::<search>().with_fixed(argument, value).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let told = error.to_string();
        assert!(
            told.starts_with(&format!(
                "cannot set a fixed value for `{argument}` of the tool `search`"
            )),
            "{told}"
        );
        assert!(told.contains(said), "{told}");
    }
}

#[tokio::test]
async fn loop_and_clients_see_and_call_it() {
    let request = ToolRequest::new("search_archive", json!({"words": "milk"}));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([request]),
        ModelResponse::from_text("Found."),
    ]);
    genkit::generate("Find milk.").model(model.clone()).tools([archive()]).await.unwrap();
    assert_eq!(model.tool_outputs("search_archive"), ["milk in Archive, None"]);
    for builder in eras() {
        let client = builder().connect(serving([archive(), Tool::of::<search>()])).await.unwrap();
        let listed = client.tools().await.unwrap();
        assert_eq!(
            listed.iter().map(|tool| tool.name()).collect::<Vec<_>>(),
            ["search", "search_archive"]
        );
        assert!(listed[1].input_schema()["properties"].get("place").is_none());
        let result = client.call_tool("search_archive", json!({"words": "milk"})).await.unwrap();
        assert_eq!(result.text(), "milk in Archive, None");
    }
}

#[tokio::test]
async fn approval_of_a_transformed_tool_is_requested_once() {
    let tool = Tool::of::<delete>().renamed("delete_note").with_fixed("folder", "notes").unwrap();
    for builder in eras() {
        let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let questions = std::sync::Arc::clone(&asked);
        let builder = builder().on_elicit(move |message, _| {
            questions.lock().unwrap().push(message.to_owned());
            Some(json!({}))
        });
        let client = builder.connect(serving([tool.clone()])).await.unwrap();
        let result = client.call_tool("delete_note", json!({"id": 7})).await.unwrap();
        assert_eq!(result.text(), "notes/7 is gone");
        assert_eq!(*asked.lock().unwrap(), ["Allow `delete_note` to run with {\"id\":7}?"]);
    }
}

#[tokio::test]
async fn tool_of_another_server_is_transformed_too() {
    let host = McpHost::builder()
        .server("far", ServerConfig::in_process(|| serving([Tool::of::<search>()])))
        .build()
        .unwrap();
    let far = host.tools().await.unwrap().remove(0);
    let tool = far.renamed("far_inbox").with_fixed("place", "Inbox").unwrap();
    assert_eq!(called(&tool, json!({"words": "tea"})).await.output, "tea in Inbox, None");
    let client = eras()[0]().connect(serving([tool])).await.unwrap();
    let result = client.call_tool("far_inbox", json!({"words": "tea"})).await.unwrap();
    assert_eq!(result.text(), "tea in Inbox, None");
    host.close().await;
}

#[tokio::test]
async fn dynamic_tool_can_be_transformed() {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["at"],
        "properties": {"at": {"$ref": "#/$defs/point"}, "zoom": {"type": "integer"}},
        "$defs": {"point": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}}},
    });
    let map = Tool::builder("map", "Draws.").input_schema(schema);
    let map = map.handler(|_: Context, input: Value| async move { Ok(input) });
    let here = map.with_fixed("at", json!({"x": 1.5})).unwrap();
    assert_eq!(
        called(&here, json!({"zoom": 2})).await.output,
        json!({"zoom": 2, "at": {"x": 1.5}})
    );
    let error = map.with_fixed("at", json!({"y": 1})).unwrap_err().to_string();
    assert!(error.contains('x'), "{error}");
}

/// If a schema allows additional members, the values fixed by the program take precedence.
#[tokio::test]
async fn fixed_argument_overrides_additional_properties() {
    let schema = json!({"type": "object", "properties": {"folder": {"type": "string"}}});
    let echo = Tool::builder("echo", "Echoes.").input_schema(schema);
    let echo = echo.handler(|_: Context, input: Value| async move { Ok(input) });
    let fixed = echo.with_fixed("folder", "/home/ada").unwrap();
    let sent = called(&fixed, json!({"folder": "/etc", "n": 1})).await;
    assert_eq!(sent.output, json!({"folder": "/home/ada", "n": 1}));
}
