use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::*;
use genkit_core::ErrorKind;

fn call<'a>(path: &'a str, body: &'a [u8]) -> OutgoingCall<'a> {
    let secrets =
        Secrets::from_headers(&[("x-api-key", "sk-very-secret".into())], &HeaderMap::new());
    OutgoingCall { path, body, secrets }
}

fn begin_recording(cassette: &Cassette, path: &str, body: &[u8]) -> Box<dyn Observer> {
    match cassette.intercept_call(call(path, body)).unwrap() {
        Interception::Observe(observer) => observer,
        Interception::Respond(_) => panic!("the cassette replays instead of recording"),
    }
}

fn file(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("genkit-cassettes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn record(cassette: &Cassette, path: &str, body: &Value, answer: &[u8]) {
    let mut recording = begin_recording(cassette, path, body.to_string().as_bytes());
    let headers =
        |name: &str| (name == "content-type" || name == "set-cookie").then(|| "a/b".into());
    recording.begin_response(200, &headers);
    for piece in answer.chunks(3) {
        recording.receive_piece(piece);
    }
    recording.finish_response().unwrap();
}

fn replay(cassette: &Cassette, path: &str, body: &Value) -> Result<Vec<u8>> {
    match cassette.intercept_call(call(path, body.to_string().as_bytes()))? {
        Interception::Respond(response) => Ok(response.body),
        Interception::Observe(_) => panic!("the cassette records instead of replaying"),
    }
}

#[test]
fn recorded_responses_are_replayed_in_order() {
    let path = file("order.json");
    let cassette = Cassette::auto(&path).unwrap();
    assert!(!cassette.is_offline());
    record(&cassette, "/a", &json!({"x": 1, "y": 2}), b"one");
    record(&cassette, "/a", &json!({"x": 1, "y": 2}), b"two");
    record(&cassette, "/b", &json!({"x": 1, "y": 2}), b"\xff\x00");
    let cassette = Cassette::auto(&path).unwrap();
    assert!(cassette.is_offline());
    let body = json!({"y": 2, "x": 1});
    assert_eq!(replay(&cassette, "/b", &body).unwrap(), b"\xff\x00");
    assert_eq!(replay(&cassette, "/a", &body).unwrap(), b"one");
    assert_eq!(replay(&cassette, "/a", &body).unwrap(), b"two");
    let error = replay(&cassette, "/a", &body).unwrap_err();
    assert!(error.to_string().contains("recorded 2 times"), "{error}");
}

#[test]
fn calls_are_in_request_order() {
    let path = file("asking.json");
    let cassette = Cassette::record(&path);
    let mut first = begin_recording(&cassette, "/first", b"{}");
    let dropped = begin_recording(&cassette, "/dropped", b"{}");
    record(&cassette, "/second", &json!({}), b"");
    drop(dropped);
    first.begin_response(200, &|_| None);
    first.finish_response().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.find("/first").unwrap() < text.find("/second").unwrap(), "{text}");
    assert!(!text.contains("/dropped"));
}

#[test]
fn no_key_is_in_the_file() {
    let path = file("keys.json");
    let cassette = Cassette::record(&path);
    let body = json!({"text": "is sk-very-secret a key?"});
    record(&cassette, "/a?key=sk-very-secret", &body, b"yes, sk-very-secret is");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("sk-very-secret") && !text.contains("set-cookie"), "{text}");
    let cassette = Cassette::replay(&path).unwrap();
    let said = replay(&cassette, "/a?key=sk-very-secret", &body).unwrap();
    assert_eq!(said, b"yes, <KEY> is");
}

#[test]
fn keys_are_redacted_in_binary_responses() {
    let path = file("bytes.json");
    record(&Cassette::record(&path), "/a", &json!({}), b"\xff sk-very-secret \xff");
    let said = replay(&Cassette::replay(&path).unwrap(), "/a", &json!({})).unwrap();
    assert_eq!(said, b"\xff <KEY> \xff");
}

#[test]
fn another_request_shows_how_it_differs_from_the_nearest() {
    let path = file("nearest.json");
    let cassette = Cassette::record(&path);
    record(&cassette, "/a", &json!({"list": [1, {"deep": "old"}]}), b"");
    record(&cassette, "/a", &json!({"nothing": "alike", "list": []}), b"");
    record(&cassette, "/b", &json!({"list": [1, {"deep": "new"}]}), b"");
    let cassette = Cassette::replay(&path).unwrap();
    let error = replay(&cassette, "/a", &json!({"list": [1, {"deep": "new"}]})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    let text = error.to_string();
    let said =
        "number 1 of 3, which differs at body.list[1].deep: recorded \"old\", requested \"new\"";
    assert!(text.contains(said), "{text}");
    let text = replay(&cassette, "/c", &json!({"list": []})).unwrap_err().to_string();
    assert!(text.contains("differs at the path: recorded \"POST /"), "{text}");
}

#[test]
fn invalid_cassette_file_is_rejected() {
    let path = file("none.json");
    std::fs::write(&path, "{}").unwrap();
    assert!(Cassette::auto(&path).unwrap_err().chain().contains("is not a cassette"));
    std::fs::write(&path, r#"{"version": 2, "exchanges": []}"#).unwrap();
    assert!(Cassette::replay(&path).unwrap_err().to_string().contains("version 2"));
}
