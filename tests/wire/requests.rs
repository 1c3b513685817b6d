//! Tests of requests: the request for the intent of each case is compared with its golden request.

use genkit::model::{ChunkSink, ModelRequest};
use serde_json::{Value, json};

use crate::cases::{self, Case};
use crate::compare_request::compare;
use crate::mock::{Said, dialect};
use crate::replay::{Answer, Cut, Replay};
use crate::tally::Tally;

#[tokio::test]
async fn requests_match_the_cases() {
    let mut tally = Tally::default();
    for case in cases::load("request") {
        tally.ran(&case, &compare(&case.json, &sent(&case).await));
    }
    tally.report("requests");
}

/// Returns the request for the intent of a case.
async fn sent(case: &Case) -> Value {
    let stream = case.json["stream"] == true;
    let replay = Replay::start(minimal(case.provider(), stream));
    let model = cases::model(case.provider(), case.text("model"), &replay.url);
    let request: ModelRequest = match serde_json::from_value(case.json["intent"].clone()) {
        Ok(request) => request,
        Err(error) => return json!({"body": format!("the intent is not read: {error}")}),
    };
    let sink = if stream { ChunkSink::new(|_| {}) } else { ChunkSink::none() };
    let answer = model.generate(&request, &sink).await;
    let sent = replay.request();
    match (sent, answer) {
        (Some(request), _) if request["path"] != "" => request,
        (_, answer) => json!({"body": format!("nothing was sent: {:?}", answer.err())}),
    }
}

#[tokio::test]
async fn models_without_chat_completions_are_reached_by_the_responses_api() {
    for (name, stream, path) in [
        ("o1-pro", true, "/v1/responses"),
        ("gpt-5-codex", false, "/v1/responses"),
        ("gpt-5", false, "/v1/chat/completions"),
    ] {
        let provider = if path == "/v1/responses" { "openai-responses" } else { "openai" };
        let replay = Replay::start(minimal(provider, false));
        let model = cases::model("openai", name, &replay.url);
        assert_eq!(model.name(), format!("openai/{name}"));
        let sink = if stream { ChunkSink::new(|_| {}) } else { ChunkSink::none() };
        let request = ModelRequest::new([genkit::Message::user("hi")]);
        model.generate(&request, &sink).await.unwrap();
        let sent = replay.request().unwrap();
        assert_eq!(sent["path"], path);
        assert_eq!(sent["body"]["stream"], Value::Null, "o1-pro answers in one piece");
    }
}

/// Returns a minimal valid response without content.
fn minimal(provider: &str, stream: bool) -> Answer {
    let (dialect, said) = (dialect(provider), Said::text("ok"));
    let (kind, body) = match stream {
        true => (dialect.stream_type(), dialect.framed(&dialect.pieces(&said))),
        false => ("application/json", dialect.whole(&said).to_string()),
    };
    let headers = vec![("content-type".to_owned(), kind.to_owned())];
    Answer { status: 200, headers, body: body.into_bytes(), cut: Cut::Whole }
}

#[test]
fn comparison_takes_goldens_and_acceptable_alternates_alone() {
    for case in cases::load("request") {
        let differences = compare(&case.json, &case.json["request"]);
        assert!(differences.is_empty(), "{}: {differences:?}", case.name);
        for alternate in case.json["alternates"].as_array().into_iter().flatten() {
            let differences = compare(&case.json, &alternate["request"]);
            let acceptable = alternate["acceptable"] == true;
            assert_eq!(differences.is_empty(), acceptable, "{}: {differences:?}", case.name);
        }
    }
}

#[test]
fn comparison_catches_every_change() {
    for case in cases::load("request") {
        let golden = &case.json["request"];
        let mut changed = vec![];
        for (path, value) in [
            ("/method", json!("GET")),
            ("/path", json!("/v2/other")),
            ("/query", json!({"a": "b"})),
            ("/headers", json!({"content-type": "text/plain"})),
        ] {
            let mut one = golden.clone();
            *one.pointer_mut(path).unwrap() = value;
            changed.push((path.to_owned(), one));
        }
        let list = match case.provider() {
            "gemini" => "contents",
            "openai-responses" => "input",
            _ => "messages",
        };
        for key in golden["body"].as_object().unwrap().keys() {
            let mut one = golden.clone();
            let value = &mut one["body"][key];
            let nothing =
                ["generationConfig", "toolConfig"].contains(&key.as_str()) && *value == json!({});
            let free = (key == "model" && case.provider() == "gemini")
                || ["tool_choice", "store"].contains(&key.as_str());
            if nothing || free {
                continue;
            }
            *value = match value {
                Value::Array(_) if key == list => json!([]),
                Value::Object(_) => json!({"zzz": 1}),
                Value::Array(_) => json!([{"zzz": 1}]),
                Value::Number(number) => json!(number.as_f64().unwrap() + 1.0),
                Value::Bool(yes) => json!(!*yes),
                _ => json!("zzz"),
            };
            changed.push((format!("/body/{key}"), one));
        }
        let mut one = golden.clone();
        one["body"]["zzz"] = json!(1);
        changed.push(("one more key".to_owned(), one));
        for (what, one) in changed {
            assert!(!compare(&case.json, &one).is_empty(), "{}: {what} passes", case.name);
        }
    }
}
