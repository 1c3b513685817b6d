//! Errors, as received by the model or by the client.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use genkit::testing::Client;
use genkit::{
    Context, Error, ErrorKind, Genkit, Registry, Result, Tool, prompt, prompts, resource,
    resources, tool, tools,
};
use serde_json::{Value, json};

use crate::serving;

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Takes lists.
#[tool]
async fn sum(numbers: Vec<f64>, #[arg(default = 1.0)] factor: f64) -> f64 {
    numbers.iter().sum::<f64>() * factor
}

/// Panics.
#[tool]
async fn panics(text: String) -> String {
    panic!("cannot go on with {text}")
}

/// Never ends.
#[tool(timeout = "50ms")]
async fn hangs() -> String {
    std::future::pending().await
}

/// Says much.
#[tool(max_output = "1KiB")]
async fn long(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// Fails with a chain of causes.
#[tool]
async fn fails() -> Result<()> {
    let cause = std::io::Error::other("disk is gone");
    Err(Error::new(ErrorKind::Unavailable, "cannot save").with_source(cause))
}

async fn client() -> Client {
    let server = serving(tools![add, sum, panics, hangs, long, fails]);
    Client::connect(server).await.expect("it connects")
}

async fn told(client: &Client, name: &str, arguments: Value) -> String {
    let answer = client.call_tool(name, arguments).await.expect("no protocol error");
    assert!(answer.is_error(), "{}", answer.text());
    answer.text()
}

#[tokio::test]
async fn invalid_arguments_error_names_location_expectation_and_schema() {
    let client = client().await;
    let said = told(&client, "add", json!({"a": "two", "b": 1})).await;
    assert!(said.contains("Invalid arguments for `add`: at `a`: "), "{said}");
    assert!(said.contains("expected i64"), "{said}");
    assert!(said.contains(r#""required":["a","b"]"#), "{said}");
    let said = told(&client, "add", json!({"a": 1})).await;
    assert!(said.contains("missing field `b`"), "{said}");
    let said = told(&client, "add", json!({"a": 1, "b": 2, "c": 3})).await;
    assert!(said.contains("unknown field `c`, expected `a` or `b`"), "{said}");
    let said = told(&client, "sum", json!({"numbers": [1, "x"]})).await;
    assert!(said.contains("at `numbers[1]`"), "{said}");
}

#[tokio::test]
async fn numbers_and_lists_that_come_as_text_are_read_again_unless_strict() {
    let lenient = client().await;
    assert_eq!(lenient.call_tool("add", json!({"a": "2", "b": 40})).await.unwrap().text(), "42");
    let answer =
        lenient.call_tool("sum", json!({"numbers": "[1, 2]", "factor": "2"})).await.unwrap();
    assert_eq!(answer.text(), "6.0");
    let strict = Client::connect(serving(tools![add]).strict_args(true)).await.unwrap();
    assert!(strict.call_tool("add", json!({"a": "2", "b": 40})).await.unwrap().is_error());
}

#[tokio::test]
async fn panic_is_an_error_and_the_server_continues() {
    let client = client().await;
    let said = told(&client, "panics", json!({"text": "this"})).await;
    assert!(said.starts_with("`panics` panicked; see the program's log"), "{said}");
    assert!(!said.contains("cannot go on"), "{said}");
    assert_eq!(client.call_tool("add", json!({"a": 1, "b": 1})).await.unwrap().text(), "2");
}

#[tokio::test]
async fn slow_tool_is_stopped_at_its_timeout() {
    let said = told(&client().await, "hangs", json!({})).await;
    assert!(said.starts_with("`hangs` did not finish within 50ms"), "{said}");
}

/// Never ends.
#[prompt(timeout = "50ms")]
async fn endless() -> String {
    std::future::pending().await
}

/// Never ends.
#[resource("endless://", timeout = "50ms")]
async fn bottomless() -> String {
    std::future::pending().await
}

#[tokio::test]
async fn slow_prompts_and_resources_are_stopped_at_their_own_limits() {
    let registry = Registry::new().add(prompts![endless]).add(resources![bottomless]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let client = Client::connect(genkit.serve_mcp()).await.unwrap();
    let slow = client.get_prompt("endless", json!({})).await.unwrap_err();
    assert!(slow.to_string().contains("`endless` did not finish within 50ms"), "{slow}");
    let slow = client.read_resource("endless://").await.unwrap_err();
    assert!(slow.to_string().contains("`endless://` did not finish within 50ms"), "{slow}");
}

#[tokio::test]
async fn answer_that_is_too_large_is_rejected_with_its_size() {
    let client = client().await;
    assert!(!client.call_tool("long", json!({"bytes": 900})).await.unwrap().is_error());
    let said = told(&client, "long", json!({"bytes": 2000})).await;
    assert!(said.contains("bytes long, but the limit is 1024"), "{said}");
}

/// Is long.
#[prompt]
async fn essay(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// Is long.
#[resource("book://{bytes}")]
async fn book(bytes: usize) -> String {
    "x".repeat(bytes)
}

#[tokio::test]
async fn prompts_and_resources_have_the_limit_of_the_server() {
    let registry = Registry::new().add(prompts![essay]).add(resources![book]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    for modern in [false, true] {
        let server = genkit.serve_mcp().max_output(1024);
        let client = Client::builder().modern(modern).connect(server).await.unwrap();
        client.get_prompt("essay", json!({"bytes": 500})).await.unwrap();
        let refused = client.get_prompt("essay", json!({"bytes": 2000})).await.unwrap_err();
        let said = "bytes long, but the limit is 1024";
        assert!(refused.to_string().contains("`essay`"), "{refused}");
        assert!(refused.to_string().contains(said), "{refused}");
        client.read_resource("book://500").await.unwrap();
        let refused = client.read_resource("book://2000").await.unwrap_err();
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

#[tokio::test]
async fn causes_are_reported() {
    assert_eq!(told(&client().await, "fails", json!({})).await, "cannot save: disk is gone");
}

#[tokio::test]
async fn unknown_tool_is_a_protocol_error_with_a_suggestion() {
    let error = client().await.call_tool("ad", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "-32602: Unknown tool: ad. Did you mean `add`?");
}

#[tokio::test]
async fn hand_written_schema_is_checked() {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1}},
        "required": ["n"]
    });
    let tool = Tool::builder("halve", "Halves.")
        .input_schema(schema)
        .output_schema(json!({"type": "object", "required": ["half"]}))
        .handler(|_: Context, input: Value| async move {
            let n = input["n"].as_i64().unwrap_or_default();
            Ok(if n == 13 { json!({}) } else { json!({"half": n / 2}) })
        });
    let client = Client::connect(serving([tool])).await.unwrap();
    let answer = client.call_tool("halve", json!({"n": "8"})).await.unwrap();
    assert_eq!(answer.structured(), Some(&json!({"half": 4})));
    let said = told(&client, "halve", json!({"n": 0})).await;
    assert!(said.contains("at `n`"), "{said}");
    let said = told(&client, "halve", json!({"n": 13})).await;
    assert!(said.contains("does not match the declared output schema"), "{said}");
}

/// Records whether the function below was dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

struct Witness(Arc<AtomicBool>);

/// Waits until it is dropped.
#[tool]
async fn waits(witness: &Witness) -> String {
    let _dropped = Dropped(Arc::clone(&witness.0));
    std::future::pending().await
}

#[tokio::test]
async fn dropping_the_call_stops_the_function() {
    for modern in [false, true] {
        let dropped = Arc::new(AtomicBool::new(false));
        let genkit = Genkit::builder()
            .registry(Registry::new().add(tools![waits]))
            .state(Witness(Arc::clone(&dropped)))
            .build()
            .unwrap();
        let builder = Client::builder().modern(modern);
        let client = builder.connect(genkit.serve_mcp()).await.unwrap();
        let call = client.call_tool("waits", json!({}));
        assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
        // Dropping the call sent `notifications/cancelled`.
        for _ in 0..100 {
            if dropped.load(Ordering::SeqCst) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(dropped.load(Ordering::SeqCst), "modern: {modern}");
    }
}

#[tokio::test]
async fn runs_above_the_limit_are_rejected() {
    let server = serving(tools![hangs, add]).max_in_flight(1);
    let client = Client::connect(server).await.unwrap();
    let (slow, fast) = tokio::join!(client.call_tool("hangs", json!({})), async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        client.call_tool("add", json!({"a": 1, "b": 1})).await
    });
    assert!(slow.unwrap().is_error());
    let refused = fast.unwrap_err().to_string();
    assert!(refused.starts_with("-32000: 1 requests are already running"), "{refused}");
}

#[tokio::test]
async fn client_that_asks_too_often_is_rejected() {
    let client = Client::connect(serving(tools![add]).max_per_second(2)).await.unwrap();
    let mut refused = 0;
    for _ in 0..5 {
        refused += usize::from(client.call_tool("add", json!({"a": 1, "b": 1})).await.is_err());
    }
    assert!(refused >= 1);
}

/// Takes odd numbers only.
#[tool]
async fn odd(n: u32) -> Result<u32> {
    if n.is_multiple_of(2) { Err(Error::invalid_argument("n must be odd")) } else { Ok(n) }
}

#[tokio::test]
async fn error_message_of_a_function_is_kept() {
    let client = Client::connect(serving(tools![odd])).await.unwrap();
    assert_eq!(told(&client, "odd", json!({"n": 2})).await, "n must be odd");
}
