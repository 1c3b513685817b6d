//! The parts of an error that are sent over HTTP.

use genkit::mcp::McpServer;
use genkit::{ErrorContext as _, Genkit, Registry, Result, tool, tools};
use serde_json::{Value, json};

use super::here::Here;
use super::wire::Wire;

/// Text that no client must receive.
const SECRET: &str = "postgres://admin@10.0.0.7";

/// Fails with a cause.
#[tool]
async fn caused() -> Result<String> {
    Err(std::io::Error::other(SECRET)).context("cannot save")
}

/// Fails with the error of another library.
#[tool]
async fn foreign() -> Result<String, std::io::Error> {
    Err(std::io::Error::other(SECRET))
}

/// Panics.
#[tool]
async fn explode() -> String {
    panic!("{SECRET}")
}

fn server() -> McpServer {
    let registry = Registry::new().add(tools![caused, foreign, explode]);
    Genkit::builder().registry(registry).build().unwrap().serve_mcp()
}

fn told(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn causes_and_errors_of_other_libraries_stay_here() {
    let here = Here::serve(server().router().unwrap());
    let wire = Wire::to(here.url());
    let session = wire.open(&[]);
    for (name, begins) in [
        ("caused", "cannot save (reference "),
        ("foreign", "`foreign` failed; the cause is in the server's log"),
        ("explode", "`explode` panicked; see the program's log"),
    ] {
        for answer in [wire.call_alone(name, &json!({})), wire.call(&session, name, &json!({}))] {
            assert!(!answer.text.contains(SECRET), "{answer:?}");
            let answer = answer.message();
            let text = told(&answer);
            assert!(text.starts_with(begins) && text.contains("(reference "), "{text}");
        }
    }
}

#[test]
fn server_may_show_them_but_no_panic() {
    let here = Here::serve(server().expose_errors(true).router().unwrap());
    let wire = Wire::to(here.url());
    let call = |name: &str| told(&wire.call_alone(name, &json!({})).message()).to_owned();
    assert_eq!(call("caused"), format!("cannot save: {SECRET}"));
    assert_eq!(call("foreign"), SECRET);
    assert!(!call("explode").contains(SECRET));
}
