//! Responses: the results of the cases' responses, however their bytes are split.

use std::sync::{Arc, Mutex};

use genkit::Message;
use genkit::model::{ChunkSink, ModelRequest};
use serde_json::{Value, json};

use crate::cases::{self, Case};
use crate::compare_response::{compare, compare_chunks};
use crate::replay::{Answer, CUTS, Cut, Replay};
use crate::tally::Tally;

#[tokio::test]
async fn responses_match_the_cases() {
    let mut tally = Tally::default();
    for case in cases::load("expect") {
        let mut differences = Vec::new();
        for cut in CUTS {
            let (actual, chunks) = replayed(&case, cut).await;
            let mut found = compare(&case.json, &actual);
            if case.json["stream"] == true {
                found.extend(compare_chunks(&case.json, &actual, &chunks));
            }
            differences.extend(found.into_iter().map(|one| format!("{cut:?}: {one}")));
        }
        tally.ran(&case, &differences);
    }
    tally.report("responses");
}

/// Returns the result of a case's response, and the content of its chunks.
async fn replayed(case: &Case, cut: Cut) -> (Value, Vec<Value>) {
    let replay = Replay::start(answer(case, cut));
    let model = cases::model(case.provider(), "", &replay.url);
    let mut request = ModelRequest::new([Message::user("hi")]);
    if let Some(output) = case.json.get("intent_output") {
        request.output = serde_json::from_value(output.clone()).unwrap();
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = if case.json["stream"] == true {
        let seen = Arc::clone(&seen);
        ChunkSink::new(move |chunk| {
            seen.lock().unwrap().push(serde_json::to_value(chunk.content).unwrap());
        })
    } else {
        ChunkSink::none()
    };
    let actual = match model.generate(&request, &sink).await {
        Ok(response) => serde_json::to_value(response).unwrap(),
        Err(error) => cases::error(&error),
    };
    drop(replay.request());
    let chunks = seen.lock().unwrap().clone();
    (actual, chunks)
}

fn answer(case: &Case, cut: Cut) -> Answer {
    let status = case.json["status"].as_u64().and_then(|it| u16::try_from(it).ok()).unwrap_or(200);
    let headers = case.json["headers"].as_object().into_iter().flatten();
    let headers = headers
        .filter(|(name, _)| !["content-length", "transfer-encoding"].contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
        .collect();
    let body = match &case.json["body_text"] {
        Value::String(text) => text.clone(),
        // Its events, one by one.
        Value::Array(pieces) => pieces.iter().filter_map(Value::as_str).collect(),
        _ => case.json["body"].to_string(),
    };
    Answer { status, headers, body: body.into_bytes(), cut }
}

#[test]
fn comparison_takes_what_is_expected_and_nothing_else() {
    for case in cases::load("expect") {
        let expected = &case.json["expect"];
        let accepted = case.json["accept"].as_array().into_iter().flatten();
        for right in accepted.chain([expected]) {
            let differences = compare(&case.json, &as_result(right));
            assert!(differences.is_empty(), "{}: {differences:?}", case.name);
        }
        let mut changed = vec![json!({"error": {"status": "X", "message": "x"}})];
        let mut other = expected.clone();
        match expected.get("error") {
            Some(_) => changed.push(json!({"message": {"content": []}, "finishReason": "stop"})),
            None => {
                other["message"]["content"].as_array_mut().unwrap().push(json!({"text": "XX"}));
                changed.push(other.clone());
                other = expected.clone();
                other["finishReason"] = json!("other than it was");
                changed.push(other.clone());
                other = expected.clone();
                other["message"]["content"] = json!([{"toolRequest": {"name": "zzz"}}]);
                changed.push(other);
            }
        }
        for wrong in changed {
            assert!(!compare(&case.json, &wrong).is_empty(), "{}: {wrong} passes", case.name);
        }
    }
}

#[test]
fn comparison_adds_up_chunks() {
    for case in cases::load("expect") {
        let Some(chunks) = case.json["expect_chunks"].as_array() else { continue };
        let expected = as_result(&case.json["expect"]);
        let differences = compare_chunks(&case.json, &expected, chunks);
        let partial = differences.iter().all(|one| one.starts_with("a call of the chunks"));
        assert!(partial, "{}: {differences:?}", case.name);
        let mut more = chunks.clone();
        more.push(json!([{"text": "XX"}]));
        assert!(!compare_chunks(&case.json, &expected, &more).is_empty(), "{}", case.name);
    }
}

/// Converts an expected result: the message of an error only has to contain the expected text.
fn as_result(expected: &Value) -> Value {
    match expected.get("error") {
        Some(error) => json!({"error": {
            "status": error["status"], "message": error["message_contains"],
            "retry_after_ms": error["retry_after_ms"],
        }}),
        None => expected.clone(),
    }
}
