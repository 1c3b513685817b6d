//! Masked errors: which parts of an error a client receives.

use genkit::action::CompleteRequest;
use genkit::mcp::McpServer;
use genkit::testing::Client;
use genkit::{
    Error, ErrorContext as _, ErrorKind, Genkit, Registry, Result, actions, prompt, prompts,
    resource, resources, tool, tools,
};
use serde_json::json;

use crate::logged::Log;

/// Text that no client must receive.
const SECRET: &str = "postgres://admin@10.0.0.7";

fn foreign() -> std::io::Error {
    std::io::Error::other(SECRET)
}

/// Fails in one of many ways.
#[tool]
async fn fail(how: String) -> Result<String> {
    match how.as_str() {
        "ours" => Err(Error::not_found("no note 7").with_details(json!({"id": 7}))),
        "caused" => Err(Error::new(ErrorKind::Unavailable, "cannot save").with_source(foreign())),
        "context" => Err(foreign()).context("cannot save"),
        "nested" => Err(Error::not_found(SECRET)).context("cannot save"),
        "foreign" => Err(foreign().into()),
        _ => Ok("fine".into()),
    }
}

/// Fails with a text.
#[tool]
async fn text() -> Result<String, String> {
    Err("b must not be 0".into())
}

/// Fails with the error of another library.
#[tool]
async fn boxed() -> Result<String, std::io::Error> {
    Err(foreign())
}

/// Panics.
#[tool]
async fn explode() -> String {
    panic!("{SECRET}")
}

/// Fails.
#[prompt]
async fn ask(#[arg(complete = suggest)] about: String) -> Result<String, std::io::Error> {
    let _ = about;
    Err(foreign())
}

async fn suggest(_: CompleteRequest) -> Result<Vec<String>> {
    Err(foreign().into())
}

/// Fails.
#[resource("note://{id}")]
async fn note(id: u64) -> Result<String> {
    if id == 0 {
        return Err(std::io::Error::new(std::io::ErrorKind::NotFound, SECRET).into());
    }
    Err(foreign()).context("cannot read the note")
}

fn server() -> McpServer {
    let registry = Registry::new()
        .add(tools![fail, text, boxed, explode])
        .add(prompts![ask])
        .add(resources![note]);
    Genkit::builder().registry(registry).build().unwrap().serve_mcp()
}

/// Returns a text without its reference, which is 12 digits.
fn without_reference(text: &str) -> String {
    let Some((before, rest)) = text.split_once("(reference ") else { return text.to_owned() };
    let (reference, after) = rest.split_once(')').unwrap();
    assert!(reference.len() == 12 && reference.chars().all(|c| c.is_ascii_hexdigit()), "{text}");
    format!("{before}(#){after}")
}

#[tokio::test]
async fn masked_errors_contain_only_text_for_callers() {
    let hidden = "failed; the cause is in the server's log (#)";
    let client = Client::connect(server().expose_errors(false)).await.unwrap();
    for (name, arguments, expected) in [
        ("fail", json!({"how": "ours"}), "no note 7".to_owned()),
        ("fail", json!({"how": "caused"}), "cannot save (#)".to_owned()),
        ("fail", json!({"how": "context"}), "cannot save (#)".to_owned()),
        ("fail", json!({"how": "nested"}), "cannot save (#)".to_owned()),
        ("fail", json!({"how": "foreign"}), format!("`fail` {hidden}")),
        ("text", json!({}), "b must not be 0".to_owned()),
        ("boxed", json!({}), format!("`boxed` {hidden}")),
        (
            "explode",
            json!({}),
            "`explode` panicked; see the program's log for details (#)".to_owned(),
        ),
    ] {
        let failed = client.call_tool(name, arguments.clone()).await.unwrap();
        assert!(failed.is_error());
        assert_eq!(without_reference(&failed.text()), expected, "{name} {arguments}");
    }
    // Invalid arguments are for the caller to fix.
    let unfit = client.call_tool("fail", json!({"how": 7})).await.unwrap().text();
    assert!(unfit.contains("at `how`") && unfit.contains("must match"), "{unfit}");
    let asked = client.get_prompt("ask", json!({"about": "x"})).await.unwrap_err().to_string();
    assert_eq!(without_reference(&asked), format!("-32603: `ask` {hidden}"));
    let suggested = client.complete("ask", "about", "").await.unwrap_err().to_string();
    assert_eq!(without_reference(&suggested), format!("-32603: `ask` {hidden}"));
    let read = client.read_resource("note://7").await.unwrap_err().to_string();
    assert_eq!(without_reference(&read), "-32603: cannot read the note (#)");
    let missing = client.read_resource("note://0").await.unwrap_err().to_string();
    assert!(missing.contains("Resource not found: note://0") && !missing.contains(SECRET));
}

/// Panics.
#[prompt]
async fn panics(#[arg(complete = panicking)] about: String) -> String {
    panic!("{SECRET} {about}")
}

async fn panicking(_: CompleteRequest) -> Vec<String> {
    panic!("{SECRET}")
}

/// Panics.
#[resource("panic://{id}")]
async fn panic_of(id: u64) -> String {
    panic!("{SECRET} {id}")
}

#[tokio::test]
async fn panic_messages_are_not_sent_to_clients() {
    for modern in [false, true] {
        let client = Client::builder().modern(modern);
        let client = client.connect(crate::serving(actions![panics, panic_of])).await.unwrap();
        for said in [
            client.get_prompt("panics", json!({"about": "x"})).await.unwrap_err().to_string(),
            client.complete("panics", "about", "x").await.unwrap_err().to_string(),
            client.read_resource("panic://1").await.unwrap_err().to_string(),
        ] {
            assert!(said.contains("panicked; see the program's log"), "{said}");
            assert!(!said.contains(SECRET), "{said}");
        }
    }
}

#[tokio::test]
async fn local_client_reads_it_all_but_no_panic() {
    for server in [server(), server().expose_errors(true)] {
        let client = Client::connect(server).await.unwrap();
        let failed = client.call_tool("fail", json!({"how": "caused"})).await.unwrap();
        assert_eq!(failed.text(), format!("cannot save: {SECRET}"));
        let failed = client.call_tool("boxed", json!({})).await.unwrap();
        assert_eq!(failed.text(), SECRET);
        let read = client.read_resource("note://7").await.unwrap_err().to_string();
        assert!(read.ends_with(&format!("cannot read the note: {SECRET}")), "{read}");
        let panicked = client.call_tool("explode", json!({})).await.unwrap().text();
        assert!(panicked.contains("panicked") && !panicked.contains(SECRET), "{panicked}");
    }
}

#[tokio::test]
async fn log_contains_the_full_error_under_the_reference_of_the_client() {
    let (log, _guard) = Log::listening();
    let client = Client::connect(server().expose_errors(false)).await.unwrap();
    for (name, arguments) in [
        ("fail", json!({"how": "caused"})),
        ("fail", json!({"how": "foreign"})),
        ("boxed", json!({})),
        ("explode", json!({})),
    ] {
        let text = client.call_tool(name, arguments).await.unwrap().text();
        let (_, reference) = text.split_once("(reference ").unwrap();
        let reference = reference.trim_end_matches(')');
        let events = log.take(reference);
        let told = events.iter().find(|event| event.contains(SECRET));
        assert!(told.is_some_and(|event| event.contains(name)), "{name}: {events:?}");
    }
}

#[tokio::test]
async fn model_reads_what_was_written_for_it_and_no_cause_of_another_library() {
    use genkit::message::ToolRequest;
    for (how, expected) in
        [("ours", "no note 7"), ("caused", "cannot save (#)"), ("context", "cannot save (#)")]
    {
        let request = ToolRequest::new("fail", json!({ "how": how }));
        let told = genkit::Tool::of::<fail>().call(&request).await.unwrap();
        let told = told.into_response().unwrap();
        assert_eq!(without_reference(told.error().unwrap()), expected, "{how}");
    }
    let request = ToolRequest::new("explode", json!({}));
    let told = genkit::Tool::of::<explode>().call(&request).await.unwrap();
    assert!(!told.into_response().unwrap().error().unwrap().contains(SECRET));
}
