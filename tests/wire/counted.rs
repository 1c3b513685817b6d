//! Token counts of a Gemini stand-in on loopback: for a program, for the compaction of a conversation, for budgets.

use std::sync::Arc;

use genkit::generate::UsageLimit;
use genkit::middleware::{compact, tool_search};
use genkit::model::Model;
use genkit::{Context, ErrorKind, Message, Tool, tool, tools};
use serde_json::{Value, json};

use crate::cases;
use crate::faults::server::http;
use crate::mock::{Mock, Request, Said, dialect};

/// Reads a page.
#[tool]
async fn read(page: u32) -> String {
    format!("page {page}")
}

/// Returns a Gemini stand-in that responds according to the method in the path and the body.
fn gemini(answer: impl Fn(&str, &Value) -> String + Send + 'static) -> (Arc<dyn Model>, Mock) {
    let mock =
        Mock::answers(dialect("gemini"), move |_, request| answer(method(request), &request.body));
    (cases::model("gemini", "gemini-3-pro", &mock.url), mock)
}

fn method(request: &Request) -> &str {
    let path = request.head.split(' ').nth(1).unwrap();
    path.rsplit_once(':').unwrap().1
}

/// Returns a response to a prompt of this many tokens, with five output tokens.
fn says(said: Said, tokens: u64) -> String {
    let said = Said { usage: [tokens, 5, 0, 0], ..said };
    http("200 OK", "", &dialect("gemini").whole(&said).to_string())
}

/// Counts a hundred tokens for each message.
fn counts(body: &Value) -> String {
    let contents = body["generateContentRequest"]["contents"].as_array().unwrap().len();
    http("200 OK", "", &json!({"totalTokens": 100 * contents}).to_string())
}

fn methods(mock: &Mock) -> Vec<String> {
    mock.requests().iter().map(|request| method(request).to_owned()).collect()
}

fn talk() -> Vec<Message> {
    let turn = |n| [Message::user(format!("q{n}")), Message::model("text ".repeat(60))];
    (0..5).flat_map(turn).collect()
}

#[tokio::test]
async fn tokens_of_a_run_are_counted_without_running_it() {
    let (model, mock) = gemini(|_, body| counts(body));
    let run = genkit::generate("go").system("Be brief.").messages(talk()).model(model);
    assert_eq!(run.tools(tools![read]).count_tokens().await.unwrap(), 1_100);
    let asked = mock.requests().remove(0);
    assert_eq!(method(&asked), "countTokens");
    let counted = &asked.body["generateContentRequest"];
    assert_eq!(counted["model"], "models/gemini-3-pro");
    assert_eq!(counted["systemInstruction"]["parts"][0]["text"], "Be brief.");
    assert_eq!(counted["tools"][0]["functionDeclarations"][0]["name"], "read");
}

#[tokio::test]
async fn error_of_a_count_is_that_of_a_call() {
    let error =
        r#"{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}}"#;
    let (model, _) = gemini(move |_, _| http("429 Too Many Requests", "", error));
    let error = genkit::generate("go").model(model).count_tokens().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    assert!(error.to_string().contains("slow down"), "{error}");
}

#[tokio::test]
async fn conversation_is_compacted_by_counts_and_then_by_usage() {
    let (model, mock) = gemini(|method, body| match method {
        "countTokens" => counts(body),
        _ => {
            let contents = body["contents"].as_array().unwrap().len() as u64;
            says(Said::text("ok"), 100 * contents)
        }
    });
    let run = genkit::generate(()).messages(talk()).model(model);
    let mut chat = run.middleware(compact(700).target_tokens(400)).chat();
    chat.send("one").await.unwrap();
    let first = methods(&mock);
    assert_eq!(first[0], "countTokens", "there is no usage yet");
    assert_eq!(first.last().unwrap(), "generateContent");
    let before = first.len();
    chat.send("two").await.unwrap();
    assert_eq!(methods(&mock)[before..], ["generateContent"], "the usage of the response is used");
    let last = mock.last();
    let sent = last["contents"].as_array().unwrap();
    assert!(sent.len() <= 7, "{}", sent.len());
    assert!(sent[0]["parts"][0]["text"].as_str().unwrap().contains("were left out here"));
    assert_eq!(chat.messages().len(), 14);
}

#[tokio::test]
async fn count_that_fails_is_estimated() {
    let (model, mock) = gemini(|method, _| match method {
        "countTokens" => http("500 Oh", "", "{}"),
        _ => says(Said::text("ok"), 10),
    });
    let run = genkit::generate("go").messages(talk()).model(model).middleware(compact(300));
    assert_eq!(run.await.unwrap().text(), "ok");
    assert!(mock.last()["contents"].as_array().unwrap().len() < 11);
}

#[tokio::test]
async fn budget_uses_the_usage_reported_by_the_provider() {
    let call = || Said::default().calls(None, "read", json!({"page": 1}));
    let (model, mock) = gemini(move |_, _| says(call(), 95));
    let run = genkit::generate("go").model(model).tools(tools![read]);
    let error = run.usage_limit(UsageLimit::new().tokens(250)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    assert_eq!(mock.requests().len(), 3);
    let partial = error.partial().unwrap();
    assert_eq!((partial.usage.total_tokens, partial.messages().len()), (Some(300), 6));
}

#[tokio::test]
async fn tools_are_opened_by_the_names_that_a_provider_takes() {
    let tools: Vec<Tool> = (0..40)
        .map(|n| {
            Tool::builder(format!("fs/read.{n}"), "Reads.")
                .handler(move |_: Context, _: Value| async move { Ok(n) })
        })
        .collect();
    let (model, mock) = gemini(|_, body| {
        let calls = |name: &str, args: Value| Said::default().calls(None, name, args);
        let said = match body["contents"].as_array().unwrap().len() {
            1 => calls("search_tools", json!({"names": ["fs/read.7"]})),
            3 => {
                let name = &body["tools"][0]["functionDeclarations"][1]["name"];
                calls(name.as_str().unwrap(), json!({}))
            }
            _ => Said::text("done"),
        };
        says(said, 10)
    });
    let run = genkit::generate("go").model(model).tools(tools).middleware(tool_search());
    let response = run.await.unwrap();
    assert_eq!(response.messages()[4].tool_responses().next().unwrap().output, 7);
    let asked = mock.requests();
    let offered = |turn: usize| {
        asked[turn].body["tools"][0]["functionDeclarations"].as_array().unwrap().len()
    };
    assert_eq!((offered(0), offered(1), offered(2)), (1, 2, 2));
}
