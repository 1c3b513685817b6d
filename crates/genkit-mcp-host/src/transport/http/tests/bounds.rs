//! Tests of the limits on responses, which apply before parsing.

use serde_json::{Value, json};

use super::super::request_scope::RequestScope;
use super::fake::{Answer, Fake, Request, mcp};
use super::{connector, explain_error, list, open};
use crate::config::ServerConfig;

/// Starts a server that responds to `tools/list` with `answer`.
async fn listing(answer: impl Fn(&Request, Value) -> Answer + Send + Sync + 'static) -> Fake {
    let of = move |request: &Request| match request.is("tools/list") {
        true => answer(request, request.json()["id"].clone()),
        false => mcp(request),
    };
    Fake::start(of).await
}

fn many(id: &Value, values: usize) -> String {
    let list = format!("[{}0]", "0,".repeat(values));
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[],\"x\":{list}}}}}")
}

fn document(body: String) -> Answer {
    Answer::status(200).header("Content-Type", "Application/JSON; charset=utf-8").body(body)
}

fn stream(data: &str) -> Answer {
    let events = format!(": hello\n\ndata: {data}\n\n");
    Answer::status(200).header("Content-Type", "text/event-stream").body(events)
}

#[tokio::test]
async fn values_of_an_answer_are_counted_as_a_document_and_in_a_stream() {
    for make in [|body: &str| document(body.to_owned()), stream] {
        let fake = listing(move |_, id| make(&many(&id, 200_000))).await;
        let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
        let error = list(&client).await.unwrap_err().to_string();
        assert!(error.contains("more than 200000 values"), "{error}");

        let fake = listing(move |_, id| make(&many(&id, 100_000))).await;
        let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
        list(&client).await.unwrap();
    }
}

#[test]
fn warnings_about_one_server_do_not_hide_those_of_another() {
    let (noisy, other) = (RequestScope::default(), RequestScope::default());
    for _ in 0..1000 {
        noisy.clone().warn_skipped("it has too many values");
    }
    assert_eq!(noisy.warnings.count_warning(), None);
    assert_eq!(other.warnings.count_warning(), Some(1));
}

#[tokio::test]
async fn oversized_response_is_rejected() {
    let long = |id: &Value| {
        let text = "x".repeat(5000);
        json!({ "jsonrpc": "2.0", "id": id, "result": { "tools": [], "x": text } }).to_string()
    };
    for make in [|body: &str| document(body.to_owned()), stream] {
        let fake = listing(move |_, id| make(&long(&id))).await;
        let read = |limit| connector(&ServerConfig::http(fake.url()).max_message(limit));
        let error = list(&open(&read(4096)).await.unwrap()).await.unwrap_err();
        let text = explain_error(&error).map_or_else(|| error.to_string(), |why| why.error.chain());
        assert!(text.contains("4096 bytes"), "{text}");
        list(&open(&read(8192)).await.unwrap()).await.unwrap();
    }
}

#[tokio::test]
async fn response_to_a_notification_is_ignored() {
    for body in ["", "no JSON", &many(&json!(null), 300_000)] {
        let body = body.to_owned();
        let fake = Fake::start(move |request| match request.is("notifications/initialized") {
            true => document(body.clone()),
            false => mcp(request),
        });
        let fake = fake.await;
        let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
        list(&client).await.unwrap();
    }
}

#[tokio::test]
async fn media_type_with_json_prefix_is_rejected() {
    for (kind, is_read) in [
        ("application/json", true),
        (" application/json ;charset=utf-8", true),
        ("application/json-seq", false),
        ("application/jsonp", false),
        ("text/event-streams", false),
    ] {
        let fake = listing(move |_, id| {
            let body = json!({ "jsonrpc": "2.0", "id": id, "result": { "tools": [] } });
            Answer::status(200).header("Content-Type", kind).body(body.to_string())
        });
        let fake = fake.await;
        let client = open(&connector(&ServerConfig::http(fake.url()))).await.unwrap();
        assert_eq!(list(&client).await.is_ok(), is_read, "{kind}");
    }
}
