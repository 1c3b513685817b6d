//! One server in front of many.

use std::time::Duration;

use genkit::mcp::host::ServerConfig;
use genkit::mcp::rmcp::ServiceExt as _;
use genkit::mcp::{McpClient, McpHost};
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
            .modern(modern)
            .on_elicit(|message, _| Some(json!({"name": message.split(' ').next_back()})));
        let client = builder.connect(front.serve_mcp().host(&host)).await.unwrap();
        let names = async || -> Vec<String> {
            client.tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect()
        };
        assert_eq!(names().await, ["own", "s__add", "s__fail", "s__greet"]);
        let add = client.call_tool("s__add", json!({"a": 2, "b": 3})).await.unwrap();
        assert!(add.text().contains('5'), "{}", add.text());
        assert_eq!(client.call_tool("own", Value::Null).await.unwrap().text(), "own");
        let failed = client.call_tool("s__fail", json!({})).await.unwrap();
        assert!(failed.is_error() && failed.text() == "broken", "{}", failed.text());
        // The question reaches this client.
        let greeted = client.call_tool("s__greet", json!({})).await.unwrap();
        assert_eq!(greeted.text(), "Hello, Who?!", "{upstream:?} {modern}");
        let asked = client.get_prompt("s__ask", json!({"about": "life"})).await.unwrap();
        assert_eq!(asked.messages()[0].text(), "What about life?");
        let read = client.read_resource("note://7").await.unwrap();
        assert_eq!(read[0].as_text(), Some("note 7"));
        // Tools that come and go behind the proxy come and go in its lists.
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
    let add = tools.iter().find(|tool| tool.name() == "s__add").unwrap();
    assert_eq!(add.annotations().read_only, Some(true));
    assert_eq!(add.description(), Some("Adds."));
    assert!(add.metadata().is_none(), "{:?}", add.metadata());
}

#[tokio::test]
async fn dropped_host_removes_its_actions_from_the_registry() {
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

/// Each way to serve waits for the first lists of the servers behind, as awaiting does: many clients cause only one
/// listing.
#[tokio::test]
async fn first_list_is_complete_for_every_transport() {
    /// The startup time of the server behind.
    const START: Duration = Duration::from_millis(300);
    let parts = || {
        let late = genkit::mcp::rmcp::custom_transport(|| async {
            tokio::time::sleep(START).await;
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let genkit = Genkit::builder().registry(behind()).build()?;
            let (read, write) = tokio::io::split(theirs);
            tokio::spawn(genkit.serve_mcp().serve(read, write));
            Ok(ours)
        });
        let host = McpHost::builder().server("s", late).build().unwrap();
        (Genkit::builder().registry(registry(tools![own])).build().unwrap(), host)
    };
    let front = || {
        let (genkit, host) = parts();
        genkit.serve_mcp().host(&host)
    };
    // In memory: each kind of first request, on a separate server.
    for builder in [Client::builder, || Client::builder().modern(true)] {
        let connect = async || builder().connect(front()).await.unwrap();
        assert_eq!(connect().await.tools().await.unwrap().len(), 4);
        assert_eq!(connect().await.prompts().await.unwrap().len(), 1);
        assert_eq!(connect().await.resource_templates().await.unwrap().len(), 1);
        assert_eq!(connect().await.resources().await.unwrap().len(), 0);
        let sum = connect().await.call_tool("s__add", json!({"a": 2, "b": 3})).await.unwrap();
        assert!(!sum.is_error());
        let asked = connect().await.get_prompt("s__ask", json!({"about": "life"})).await.unwrap();
        assert_eq!(asked.messages().len(), 1);
        let read = connect().await.read_resource("note://7").await.unwrap();
        assert_eq!(read[0].as_text(), Some("note 7"));
    }
    // Two servers over one registry: the second waits for the listing that the first began.
    let (one, two) = {
        let (genkit, host) = parts();
        let connect = || Client::connect(genkit.serve_mcp().host(&host));
        tokio::join!(async { connect().await.unwrap().tools().await.unwrap().len() }, async {
            connect().await.unwrap().tools().await.unwrap().len()
        },)
    };
    assert_eq!((one, two), (4, 4));
    // Over byte streams, to a client of the SDK.
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(front().serve(read, write));
    let client = ().serve(ours).await.unwrap();
    assert_eq!(client.list_all_tools().await.unwrap().len(), 4);
    // As a router.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let app = front().router().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    let client = McpClient::connect("front", ServerConfig::http(url)).await.unwrap();
    assert_eq!(client.tools().await.unwrap().len(), 4);
    client.close().await;
}
