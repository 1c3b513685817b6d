//! Tokens that a Gemini on loopback counts: for a program, for the compaction of a conversation, for budgets.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use genkit::generate::UsageLimit;
use genkit::middleware::{compact, tool_search};
use genkit::model::{Gemini, Model};
use genkit::{Context, ErrorKind, Message, Tool, tool, tools};
use serde_json::{Value, json};

use crate::faults::server::{http, read_request};

/// Reads a page.
#[tool]
async fn read(page: u32) -> String {
    format!("page {page}")
}

/// What a server was asked: the method of each path, and the body.
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

/// A Gemini that answers by what it is asked.
fn gemini(answer: impl Fn(&str, &Value) -> String + Send + 'static) -> (Arc<dyn Model>, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let request = read_request(&mut connection);
            let (head, body) = request.split_once("\r\n\r\n").unwrap();
            let path = head.split(' ').nth(1).unwrap();
            let method = path.rsplit_once(':').unwrap().1.to_owned();
            let body: Value = serde_json::from_str(body).unwrap();
            let answer = answer(&method, &body);
            seen.lock().unwrap().push((method, body));
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    (Gemini::builder().api_key("KEY").base_url(url).build().unwrap().model("gemini-3-pro"), asked)
}

fn says(part: Value, tokens: u64) -> String {
    let content = json!({"role": "model", "parts": [part]});
    let usage = json!({"promptTokenCount": tokens, "candidatesTokenCount": 5, "totalTokenCount": tokens + 5});
    let candidate = json!({"finishReason": "STOP", "content": content});
    http("200 OK", "", &json!({"candidates": [candidate], "usageMetadata": usage}).to_string())
}

/// A hundred tokens for each message.
fn counts(body: &Value) -> String {
    let contents = body["generateContentRequest"]["contents"].as_array().unwrap().len();
    http("200 OK", "", &json!({"totalTokens": 100 * contents}).to_string())
}

fn methods(asked: &Asked) -> Vec<String> {
    asked.lock().unwrap().iter().map(|(method, _)| method.clone()).collect()
}

fn talk() -> Vec<Message> {
    let turn = |n| [Message::user(format!("q{n}")), Message::model("text ".repeat(60))];
    (0..5).flat_map(turn).collect()
}

#[tokio::test]
async fn the_tokens_of_a_run_are_counted_without_running_it() {
    let (model, asked) = gemini(|_, body| counts(body));
    let run = genkit::generate("go").system("Be brief.").messages(talk()).model(model);
    assert_eq!(run.tools(tools![read]).count_tokens().await.unwrap(), 1_100);
    let (method, body) = asked.lock().unwrap().remove(0);
    assert_eq!(method, "countTokens");
    let counted = &body["generateContentRequest"];
    assert_eq!(counted["model"], "models/gemini-3-pro");
    assert_eq!(counted["systemInstruction"]["parts"][0]["text"], "Be brief.");
    assert_eq!(counted["tools"][0]["functionDeclarations"][0]["name"], "read");
}

#[tokio::test]
async fn an_error_of_a_count_is_that_of_a_call() {
    let error =
        r#"{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}}"#;
    let (model, _) = gemini(move |_, _| http("429 Too Many Requests", "", error));
    let error = genkit::generate("go").model(model).count_tokens().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    assert!(error.to_string().contains("slow down"), "{error}");
}

#[tokio::test]
async fn a_conversation_is_compacted_by_counts_and_then_by_usage() {
    let (model, asked) = gemini(|method, body| match method {
        "countTokens" => counts(body),
        _ => {
            let contents = body["contents"].as_array().unwrap().len() as u64;
            says(json!({"text": "ok"}), 100 * contents)
        }
    });
    let run = genkit::generate(()).messages(talk()).model(model);
    let mut chat = run.middleware(compact(700).down_to(400)).chat();
    chat.send("one").await.unwrap();
    let first = methods(&asked);
    assert_eq!(first[0], "countTokens", "there is no usage yet");
    assert_eq!(first.last().unwrap(), "generateContent");
    let before = first.len();
    chat.send("two").await.unwrap();
    assert_eq!(methods(&asked)[before..], ["generateContent"], "the usage of the answer tells it");
    let asked = asked.lock().unwrap();
    let sent = asked.last().unwrap().1["contents"].as_array().unwrap();
    assert!(sent.len() <= 7, "{}", sent.len());
    assert!(sent[0]["parts"][0]["text"].as_str().unwrap().contains("were left out here"));
    assert_eq!(chat.messages().len(), 14);
}

#[tokio::test]
async fn a_count_that_fails_is_estimated() {
    let (model, asked) = gemini(|method, _| match method {
        "countTokens" => http("500 Oh", "", "{}"),
        _ => says(json!({"text": "ok"}), 10),
    });
    let run = genkit::generate("go").messages(talk()).model(model).middleware(compact(300));
    assert_eq!(run.await.unwrap().text(), "ok");
    let asked = asked.lock().unwrap();
    assert!(asked.last().unwrap().1["contents"].as_array().unwrap().len() < 11);
}

#[tokio::test]
async fn a_budget_ends_a_run_by_what_the_provider_says() {
    let call = json!({"functionCall": {"name": "read", "args": {"page": 1}}});
    let (model, asked) = gemini(move |_, _| says(call.clone(), 95));
    let run = genkit::generate("go").model(model).tools(tools![read]);
    let error = run.usage_limit(UsageLimit::tokens(250)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    assert_eq!(asked.lock().unwrap().len(), 3);
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
    let (model, asked) = gemini(|_, body| {
        let part = match body["contents"].as_array().unwrap().len() {
            1 => {
                json!({"functionCall": {"name": "search_tools", "args": {"names": ["fs/read.7"]}}})
            }
            3 => {
                let name = &body["tools"][0]["functionDeclarations"][1]["name"];
                json!({"functionCall": {"name": name, "args": {}}})
            }
            _ => json!({"text": "done"}),
        };
        says(part, 10)
    });
    let run = genkit::generate("go").model(model).tools(tools).middleware(tool_search());
    let response = run.await.unwrap();
    assert_eq!(response.messages()[4].tool_responses().next().unwrap().output, 7);
    let asked = asked.lock().unwrap();
    let offered =
        |turn: usize| asked[turn].1["tools"][0]["functionDeclarations"].as_array().unwrap().len();
    assert_eq!((offered(0), offered(1), offered(2)), (1, 2, 2));
}
