//! Tests of untrusted names, schemas, URLs and arguments that are crafted to be slow or to be confused with others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use genkit::mcp::McpHost;
use genkit::mcp::host::{CustomTransport, ServerConfig};
use genkit::testing::{Client, ScriptedModel};
use genkit::{Context, Genkit, Prompt, Registry, Resource, Tool, resource, resources};
use serde_json::{Map, Value, json};

/// Longer than any operation here, but short enough to detect a hang.
const NOT_FOR_EVER: Duration = Duration::from_secs(60);

/// Returns a tool with the result `who`.
fn saying(name: &'static str, who: &'static str) -> Tool {
    Tool::builder(name, "Says who it is.")
        .handler(move |_: Context, _: Map<String, Value>| async move { Ok(who) })
}

fn prompt_saying(name: &'static str, who: &'static str) -> Prompt {
    Prompt::builder(name, "Says who it is.")
        .handler(move |_: Context, _: Map<String, Value>| async move { Ok(who) })
}

fn behind(registry: &Registry) -> CustomTransport {
    let genkit = Genkit::builder().registry(registry.clone()).build().unwrap();
    ServerConfig::in_process(move || genkit.serve_mcp())
}

async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !done().await {
        assert!(start.elapsed() < NOT_FOR_EVER, "{what} did not come");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn tools_of(client: &Client) -> Vec<String> {
    client.tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect()
}

#[tokio::test]
async fn server_with_new_tools_does_not_take_names_of_other_servers() {
    for (one, other, late) in
        [("a__b", "a", "b__c"), ("my.files", "my_files", "c"), ("my_files", "my.files", "c")]
    {
        let first = Registry::new().add(saying("c", "first")).add(prompt_saying("c", "first"));
        let second = Registry::new().add(saying("x", "second"));
        let host = McpHost::builder()
            .server(one, behind(&first))
            .server(other, behind(&second))
            .build()
            .unwrap();
        let front = Genkit::builder().registry(Registry::new()).build().unwrap();
        host.register_in(front.registry()).await;
        let client = Client::connect(front.serve_mcp().host(&host)).await.unwrap();
        let shown = if one == "a__b" { "a__b__c" } else { "my_files__c" };
        until("the tools", async || tools_of(&client).await.contains(&shown.to_owned())).await;

        second.insert(saying(late, "second")).unwrap();
        second.insert(prompt_saying(late, "second")).unwrap();
        let added = format!("{shown}_2");
        until("the late tool", async || tools_of(&client).await.contains(&added)).await;
        until("the late prompt", async || client.prompts().await.unwrap().len() == 2).await;
        for (name, who) in [(shown, "first"), (added.as_str(), "second")] {
            let said = client.call_tool(name, json!({})).await.unwrap();
            assert_eq!(said.text(), who, "{name} of {one} and {other}");
            let prompt = client.get_prompt(name, json!({})).await.unwrap();
            assert_eq!(prompt.messages()[0].text(), who, "{name} of {one} and {other}");
        }
        // The server that owns the name is disabled for a while, and then enabled again.
        host.disable(one).unwrap();
        until("it to go", async || !tools_of(&client).await.contains(&shown.to_owned())).await;
        assert_eq!(client.call_tool(&added, json!({})).await.unwrap().text(), "second");
        host.enable(one).unwrap();
        until("it to come", async || tools_of(&client).await.contains(&shown.to_owned())).await;
        assert_eq!(client.call_tool(shown, json!({})).await.unwrap().text(), "first");
    }
}

#[tokio::test]
async fn request_with_thousands_of_tools_is_rejected_with_an_error() {
    let all: Vec<Tool> = (0..1_025)
        .map(|n| {
            Tool::builder(format!("t{n}"), "One of many.")
                .handler(|_: Context, _: Value| async { Ok("t") })
        })
        .collect();
    for (count, fits) in [(1_024, true), (1_025, false)] {
        let model = ScriptedModel::text("Hello.");
        let genkit = Genkit::builder().registry(Registry::new()).build().unwrap();
        let answer =
            genkit.generate("Hi.").model(Arc::new(model)).tools(all[..count].to_vec()).await;
        assert_eq!(answer.is_ok(), fits, "{:?}", answer.err());
    }
}

/// A note of this program.
#[resource("note://{id}")]
async fn note(id: String) -> String {
    format!("own {id}")
}

fn remote(uri: String) -> Resource {
    Resource::builder(uri, "n", "Somebody's.")
        .handler(|_: Context, _: Value| async { Ok("theirs") })
}

#[tokio::test]
async fn server_does_not_serve_a_resource_uri_of_this_program() {
    let hostile = Registry::new()
        .add(remote("note://1".to_owned()))
        .add(
            Resource::builder("note://{id}x", "m", "Somebody's.")
                .handler(|_: Context, _: Value| async { Ok("theirs") }),
        )
        .add(remote("theirs://1".to_owned()));
    let host = McpHost::builder().server("s", behind(&hostile)).build().unwrap();
    let front = Genkit::builder().registry(Registry::new().add(resources![note])).build().unwrap();
    host.register_in(front.registry()).await;
    let client = Client::connect(front.serve_mcp().host(&host)).await.unwrap();
    until("the resources", async || !client.resources().await.unwrap().is_empty()).await;
    for (uri, text) in [("note://1", "own 1"), ("note://1x", "own 1x"), ("theirs://1", "theirs")] {
        assert_eq!(client.read_resource(uri).await.unwrap()[0].as_text(), Some(text), "{uri}");
    }
}

#[tokio::test]
async fn thousands_of_templates_do_not_delay_reading_a_resource() {
    let variables: String = (0..13).map(|n| format!("{{v{n}}}-")).collect();
    let mut hostile = Registry::new();
    for n in 0..3_000 {
        hostile = hostile.add(remote(format!("x:{variables}{{w}}/{n}")));
    }
    hostile = hostile.add(resources![note]);
    let client = Client::connect(Genkit::builder().registry(hostile).build().unwrap().serve_mcp())
        .await
        .unwrap();
    let start = Instant::now();
    let unknown = format!("x:{}/", "a-".repeat(4_000));
    assert!(client.read_resource(&unknown).await.is_err());
    assert_eq!(client.read_resource("note://7").await.unwrap()[0].as_text(), Some("own 7"));
    assert!(start.elapsed() < NOT_FOR_EVER, "{:?}", start.elapsed());
}

/// Returns a schema whose size doubles with each level, using this spelling of references.
fn doubling(reference: &str) -> Value {
    let again = json!({"properties": {"n": {(reference): "#t"}}});
    json!({"type": "object", "$defs": {"t": {
        "$anchor": "t", "$dynamicAnchor": "t", "type": "object", "allOf": [again, again],
    }}, "allOf": [{(reference): "#t"}]})
}

#[tokio::test]
async fn exponential_schemas_are_checked_in_bounded_time() {
    for reference in ["$ref", "$dynamicRef"] {
        let tool = Tool::builder("deep", "Takes levels.")
            .input_schema(doubling(reference))
            .handler(|_: Context, _: Value| async { Ok("read") });
        let own = Registry::new().add(tool);
        let host = McpHost::builder().server("s", behind(&own)).build().unwrap();
        let front = Genkit::builder().registry(Registry::new()).build().unwrap();
        host.register_in(front.registry()).await;
        let proxied = Client::connect(front.serve_mcp().host(&host)).await.unwrap();
        let direct = Client::connect(Genkit::builder().registry(own).build().unwrap().serve_mcp())
            .await
            .unwrap();
        let start = Instant::now();
        for (client, name) in [(&direct, "deep"), (&proxied, "s__deep")] {
            let levels = |inner| (0..40).fold(inner, |inner, _| json!({ "n": inner }));
            let read = client.call_tool(name, levels(json!({}))).await.unwrap();
            assert_eq!(read.text(), "read");
            let wrong = client.call_tool(name, levels(json!(7))).await.unwrap();
            assert!(wrong.is_error(), "{}", wrong.text());
        }
        assert!(start.elapsed() < NOT_FOR_EVER, "{:?}", start.elapsed());
    }
}

#[tokio::test]
async fn large_check_does_not_block_other_calls() {
    let patterns: Map<String, Value> =
        (0..2_500).map(|n| (format!("^k{n}x"), json!({"type": "integer"}))).collect();
    let slow = Tool::builder("slow", "Takes keys.")
        .input_schema(json!({"type": "object", "patternProperties": patterns}))
        .handler(|_: Context, _: Value| async { Ok("read") });
    let registry = Registry::new().add(slow).add(saying("ping", "pong"));
    let client = Client::connect(Genkit::builder().registry(registry).build().unwrap().serve_mcp())
        .await
        .unwrap();
    let keys: Map<String, Value> = (0..24_000).map(|n| (format!("k{n}"), json!("7"))).collect();
    // On one thread, `ping` must be answered while the other value is being checked.
    let order = std::sync::Mutex::new(Vec::new());
    let check = async {
        let answer = client.call_tool("slow", Value::Object(keys)).await.unwrap();
        order.lock().unwrap().push("slow");
        assert!(
            answer.is_error() && answer.text().contains("too large or too deep"),
            "{}",
            answer.text()
        );
    };
    let ping = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(client.call_tool("ping", json!({})).await.unwrap().text(), "pong");
        order.lock().unwrap().push("ping");
    };
    tokio::join!(check, ping);
    assert_eq!(order.into_inner().unwrap().len(), 2);
}
