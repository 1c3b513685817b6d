//! Retries of an unreachable server by the host, and manual reconnection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::action::CompleteRequest;
use genkit::context::Root;
use genkit::mcp::host::{CustomTransport, McpClient, McpHost, Reconnect, ServerState};
use genkit::{
    Context, Error, ErrorKind, Result, prompt, prompts, resource, resources, tool, tools,
};
use serde_json::{Value, json};

use super::{ERAS, host, registry, server, until};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// The folders, with their names.
#[tool]
async fn folders(ctx: &Context) -> Result<Value> {
    Ok(serde_json::to_value(ctx.roots().await?)?)
}

async fn cities(asked: CompleteRequest) -> Vec<&'static str> {
    match asked.other("country") {
        Some("Norway") => vec!["Oslo", "Bergen"],
        _ => vec!["Anywhere"],
    }
}

/// A guide.
#[prompt]
async fn guide(country: String, #[arg(complete = cities)] city: String) -> String {
    format!("{city} in {country}")
}

/// A note.
#[resource("note://{id}")]
async fn note(#[arg(complete = ["one", "two"])] id: String) -> String {
    id
}

/// Returns a server that is never reachable, and counts the attempts.
fn dead(tries: &Arc<AtomicUsize>) -> CustomTransport {
    let tries = Arc::clone(tries);
    genkit::mcp::rmcp::custom_transport(move || {
        tries.fetch_add(1, Ordering::SeqCst);
        async {
            Err::<tokio::io::DuplexStream, _>(Error::new(
                ErrorKind::Unavailable,
                "the cable is cut",
            ))
        }
    })
}

#[tokio::test]
async fn server_is_given_up_after_so_many_tries_and_tried_by_hand() {
    let [never, twice] = [Arc::<AtomicUsize>::default(), Arc::default()];
    let soon = Reconnect::new().first_delay(Duration::from_millis(1));
    let host = McpHost::builder()
        .reconnect(soon.max_retries(2))
        .server("never", dead(&never).reconnect(Reconnect::never()))
        .server("twice", dead(&twice))
        .build()
        .unwrap();
    until("the end of all tries", async || {
        host.status().iter().all(|status| status.state == ServerState::Failed)
    })
    .await;
    let count = |tries: &Arc<AtomicUsize>| tries.load(Ordering::SeqCst);
    assert_eq!((count(&never), count(&twice)), (1, 3));
    let error = host.call_tool("never/add", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("retry with `.reconnect(\"never\")`"), "{error}");
    assert_eq!(count(&never), 1, "a call does not retry a server that was given up");
    let error = host.reconnect("never").await.unwrap_err();
    assert!(error.chain().contains("the cable is cut"), "{error}");
    assert_eq!(count(&never), 2);
}

#[tokio::test]
async fn client_is_disabled_and_enabled() {
    let client = McpClient::connect("s", server(&registry(tools![add]))).await.unwrap();
    client.disable();
    assert_eq!(client.status().state, ServerState::Disabled);
    let error = client.call_tool("add", json!({"a": 1, "b": 1})).await.unwrap_err();
    assert!(error.to_string().contains("is disabled"), "{error}");
    client.enable();
    assert_eq!(client.call_tool("add", json!({"a": 1, "b": 1})).await.unwrap(), 2);
    client.reconnect().await.unwrap();
    assert_eq!(client.status().state, ServerState::Connected);
}

#[tokio::test]
async fn names_are_the_servers_own_in_a_client_and_have_its_key_in_a_host() {
    let all = registry(tools![add]).add(prompts![guide]).add(resources![note]);
    let host = host(server(&all));
    let client = host.client("s").unwrap();
    let tools = client.tools().await.unwrap();
    let prompts = client.prompts().await.unwrap();
    let resources = client.resources().await.unwrap();
    assert_eq!([tools[0].name(), prompts[0].name(), resources[0].name()], ["add", "guide", "note"]);
    let named = json!({"country": "Norway", "city": "Oslo"});
    client.call_tool(tools[0].name(), json!({"a": 1, "b": 2})).await.unwrap();
    client.get_prompt(prompts[0].name(), &named).await.unwrap();
    assert_eq!(host.tools().list().await.unwrap()[0].name(), "s/add");
    let prompt = host.prompts().await.unwrap().remove(0);
    host.get_prompt(prompt.name(), &named).await.unwrap();
    let error = host.get_prompt("guide", &named).await.unwrap_err();
    assert!(error.to_string().contains("expected `key/prompt`"), "{error}");
}

#[tokio::test]
async fn arguments_are_anything_that_serializes_to_an_object() {
    #[derive(serde::Serialize)]
    struct Sum {
        a: i64,
        b: i64,
    }
    let host = host(server(&registry(tools![add])));
    assert_eq!(host.call_tool("s/add", Sum { a: 2, b: 3 }).await.unwrap(), 5);
    assert_eq!(host.call_tool("s/add", &Sum { a: 2, b: 4 }).await.unwrap(), 6);
    let error = host.call_tool("s/add", [1, 2]).await.unwrap_err();
    assert!(error.to_string().contains("must be an object, not an array"), "{error}");
    let keys = std::collections::HashMap::from([([1_u8], "a key that is no text")]);
    let error = host.call_tool("s/add", keys).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error.to_string().contains("cannot serialize the arguments of the tool `add`"),
        "{error}"
    );
}

#[tokio::test]
async fn arguments_are_completed_with_what_is_known() {
    for era in ERAS {
        let all = registry(prompts![guide]).add(resources![note]);
        let host = host(server(&all).protocol(era));
        let client = host.client("s").unwrap();
        assert_eq!(client.complete("guide", "city", "").await.unwrap(), ["Anywhere"]);
        let known = host.complete("s/guide", "city", "").argument("country", "Norway");
        assert_eq!(known.run().await.unwrap(), ["Oslo", "Bergen"]);
        assert_eq!(client.complete_uri("note://{id}", "id", "t").await.unwrap(), ["two"]);
        assert!(client.complete("nope", "city", "").await.is_err());
        let error = host.complete("guide", "city", "").await.unwrap_err();
        assert!(error.to_string().contains("`key/prompt`"), "{error}");
    }
}

#[tokio::test]
async fn roots_are_paths_uris_and_named() {
    let here = std::env::temp_dir().join("a project");
    let uri = Root::from(here.as_path()).uri;
    assert!(uri.starts_with("file:///") && uri.ends_with("/a%20project"), "{uri}");
    for era in ERAS {
        let all = registry(tools![folders]);
        let host = McpHost::builder()
            .server("all", server(&all).protocol(era))
            .server("own", server(&all).protocol(era).roots([here.clone()]))
            .roots([Root::new("x://1").with_name("One"), Root::from(here.as_path())])
            .build()
            .unwrap();
        let told: Value = host.call_tool("all/folders", json!({})).await.unwrap();
        assert_eq!(told[0], json!({"uri": "x://1", "name": "One"}), "{era:?}");
        assert_eq!(told[1]["uri"], json!(uri));
        let told = host.call_tool("own/folders", json!({})).await.unwrap();
        assert_eq!(told[0]["uri"], json!(uri), "{era:?}");
        host.client("own").unwrap().set_roots(["file:///srv"]).await;
        let told = host.call_tool("own/folders", json!({})).await.unwrap();
        assert_eq!(told[0]["uri"], "file:///srv");
    }
}
