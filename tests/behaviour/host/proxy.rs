//! One server that fronts many.

use genkit::mcp::McpHost;
use genkit::testing::Client;
use genkit::{
    Context, Elicited, Genkit, Registry, Result, prompt, prompts, resource, resources, tool, tools,
};
use serde_json::{Value, json};

use super::{ERAS, registry, server, until};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Adds.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Greets.
#[tool]
async fn greet(ctx: &Context) -> Result<String> {
    Ok(match ctx.elicit::<Name>("Who?").await? {
        Elicited::Accepted(answer) => format!("Hello, {}!", answer.name),
        _ => "nobody".into(),
    })
}

/// Fails.
#[tool]
async fn fail() -> Result<String> {
    Err(genkit::Error::invalid_argument("broken"))
}

/// Mine.
#[tool]
async fn own() -> String {
    "own".into()
}

/// Asks.
#[prompt]
async fn ask(about: String) -> String {
    format!("What about {about}?")
}

/// A note.
#[resource("note://{id}")]
async fn note(id: u64) -> String {
    format!("note {id}")
}

fn behind() -> Registry {
    registry(tools![add, greet, fail]).add(prompts![ask]).add(resources![note])
}

#[tokio::test]
async fn tools_prompts_and_resources_pass_through() {
    for (upstream, modern) in [(ERAS[0], false), (ERAS[0], true), (ERAS[1], false), (ERAS[1], true)]
    {
        let host =
            McpHost::builder().server("s", server(&behind()).protocol(upstream)).build().unwrap();
        let front = Genkit::builder().registry(registry(tools![own])).build().unwrap();
        host.register_in(front.registry()).await;
        let builder = Client::builder()
            .on_elicit(|message, _| Some(json!({"name": message.split(' ').next_back()})));
        let builder = if modern { builder.modern() } else { builder };
        let client = builder.connect(front.serve_mcp().host(&host)).await.unwrap();
        let names = async || -> Vec<String> {
            client.tools().await.unwrap().iter().map(|tool| tool.name.to_string()).collect()
        };
        assert_eq!(names().await, ["own", "s__add", "s__fail", "s__greet"]);
        let add = client.call_tool("s__add", json!({"a": 2, "b": 3})).await.unwrap();
        assert!(add.text().contains('5'), "{}", add.text());
        assert_eq!(client.call_tool("own", Value::Null).await.unwrap().text(), "own");
        let failed = client.call_tool("s__fail", json!({})).await.unwrap();
        assert!(failed.is_error() && failed.text() == "broken", "{}", failed.text());
        // The question passes to this client.
        let greeted = client.call_tool("s__greet", json!({})).await.unwrap();
        assert_eq!(greeted.text(), "Hello, Who?!", "{upstream:?} {modern}");
        let asked = client.get_prompt("s__ask", json!({"about": "life"})).await.unwrap();
        assert!(serde_json::to_string(&asked).unwrap().contains("What about life?"));
        let read = client.read_resource("note://7").await.unwrap();
        assert!(serde_json::to_string(&read).unwrap().contains("note 7"));
        // What comes and goes behind comes and goes here.
        host.disable("s").unwrap();
        until("the tools to go", async || names().await == ["own"]).await;
        host.enable("s").unwrap();
        until("the tools to come", async || names().await.len() == 4).await;
    }
}

#[tokio::test]
async fn hints_and_meta_pass_through() {
    let host = McpHost::builder().server("s", server(&behind())).build().unwrap();
    let front = Genkit::builder().registry(Registry::new()).build().unwrap();
    host.register_in(front.registry()).await;
    let client = Client::connect(front.serve_mcp().host(&host)).await.unwrap();
    let tools = client.tools().await.unwrap();
    let add = tools.iter().find(|tool| tool.name == "s__add").unwrap();
    assert_eq!(add.annotations.as_ref().unwrap().read_only_hint, Some(true));
    assert_eq!(add.description.as_deref(), Some("Adds."));
    assert!(add.meta.is_none(), "{:?}", add.meta);
}

#[tokio::test]
async fn the_registry_is_left_as_it_was() {
    let registry_of_front = registry(tools![own]);
    {
        let host = McpHost::builder().server("s", server(&behind())).build().unwrap();
        host.register_in(&registry_of_front).await;
        assert_eq!(registry_of_front.tools().len(), 4);
        assert!(registry_of_front.tool("s/add").is_some());
        registry_of_front.check().unwrap();
    }
    until("the registry to be cleared", async || registry_of_front.tools().len() == 1).await;
    assert_eq!((registry_of_front.prompts().len(), registry_of_front.resources().len()), (0, 0));
}
