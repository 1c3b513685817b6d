//! The lists of a server: descriptions, hints, filters, pages.

use genkit::mcp::rmcp::model::PaginatedRequestParams;
use genkit::mcp::rmcp::{RawClient as _, RawItem as _};
use genkit::testing::Client;
use genkit::{Context, Tool, prompt, prompts, resource, resources, tool, tools};
use serde_json::json;

use crate::serving;

/// Finds a thing.
///
/// Call it before anything else.
#[tool(
    name = "find-thing", title = "Find", read_only, idempotent, open_world = false,
    tags("search", "cheap"), icons("https://example.com/find.png"),
    metadata = {"team": "search", "cost": {"cents": 3}}
)]
async fn find(
    /// What to look for.
    query: String,
    #[arg(default = 10)] limit: u8,
    exact: Option<bool>,
) -> String {
    format!("{query} {limit} {exact:?}")
}

/// Drops a thing.
#[tool(destructive)]
async fn drop_thing() -> String {
    String::new()
}

/// Talks.
#[prompt(tags("cheap"))]
async fn talk() -> &'static str {
    "hello"
}

/// A page.
#[resource("page://{n}")]
async fn page(n: u32) -> String {
    n.to_string()
}

#[tokio::test]
async fn lists_contain_all_declared_attributes() {
    let client = Client::connect(serving(tools![find, drop_thing])).await.unwrap();
    let listed = client.tools().await.unwrap();
    let tools: Vec<_> = listed.iter().map(|t| serde_json::to_value(t.raw()).unwrap()).collect();
    assert_eq!(
        tools[1],
        json!({
            "name": "find-thing",
            "title": "Find",
            "description": "Finds a thing.\n\nCall it before anything else.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "What to look for."},
                    "limit": {"type": "integer", "minimum": 0, "maximum": 255, "default": 10},
                    "exact": {"type": "boolean"}
                },
                "required": ["query"],
                "additionalProperties": false
            },
            "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false},
            "icons": [{"src": "https://example.com/find.png"}],
            "_meta": {"team": "search", "cost": {"cents": 3}}
        })
    );
    assert_eq!(tools[0]["inputSchema"]["properties"], json!({}));
    assert_eq!(tools[0]["annotations"], json!({"destructiveHint": true}));
    let find = &listed[1];
    assert_eq!((find.name(), find.title()), ("find-thing", Some("Find")));
    assert_eq!(find.description(), Some("Finds a thing.\n\nCall it before anything else."));
    assert_eq!(find.input_schema()["required"], json!(["query"]));
    assert_eq!(find.annotations(), Tool::of::<find>().annotations());
    assert_eq!(find.icons().collect::<Vec<_>>(), ["https://example.com/find.png"]);
    assert_eq!(find.metadata().unwrap()["team"], "search");
}

#[tokio::test]
async fn filtered_tools_are_hidden_and_cannot_be_called() {
    let tagged = Client::connect(serving(tools![find, drop_thing]).tagged("search")).await.unwrap();
    assert_eq!(tagged.tools().await.unwrap().len(), 1);
    assert!(tagged.call_tool("drop_thing", json!({})).await.is_err());
    let only = Client::connect(serving(tools![find, drop_thing]).only(["drop_*"])).await.unwrap();
    assert_eq!(only.tools().await.unwrap()[0].name(), "drop_thing");
    let except =
        Client::connect(serving(tools![find, drop_thing]).except(["*_thing"])).await.unwrap();
    assert_eq!(except.tools().await.unwrap()[0].name(), "find-thing");
}

#[tokio::test]
async fn lists_are_paged() {
    let many = (0..25).map(|n| {
        Tool::builder(format!("t{n:02}"), "One of many.")
            .handler(|_: Context, (): ()| async { Ok(()) })
    });
    let client = Client::connect(serving(many).page_size(10)).await.unwrap();
    let tools = client.tools().await.unwrap();
    assert_eq!(tools.len(), 25);
    assert!(tools.iter().map(|tool| tool.name()).is_sorted());
    let first = client.peer().list_tools(None).await.unwrap();
    assert_eq!(first.tools.len(), 10);
    let after =
        |cursor: Option<String>| Some(PaginatedRequestParams::default().with_cursor(cursor));
    let second = client.peer().list_tools(after(first.next_cursor)).await.unwrap();
    assert_eq!(second.tools[0].name, "t10");
    let bogus = client.peer().list_tools(after(Some("bogus".into()))).await.unwrap_err();
    assert!(bogus.to_string().contains("-32602"), "{bogus}");
}

#[tokio::test]
async fn each_kind_is_listed_separately() {
    let actions =
        genkit::Registry::new().add(prompts![talk]).add(resources![page]).add(tools![find]);
    let server = genkit::Genkit::builder().registry(actions).build().unwrap().serve_mcp();
    let client = Client::connect(server).await.unwrap();
    assert_eq!(client.prompts().await.unwrap().len(), 1);
    assert_eq!(client.resources().await.unwrap().len(), 0);
    assert_eq!(client.resource_templates().await.unwrap()[0].uri_template(), "page://{n}");
}
