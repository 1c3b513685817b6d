//! Tests of message parsing.

use rmcp::model::RequestId;
use serde_json::{Value, json};

use crate::engine::{Message, MessageRejection, read_message};
use genkit_mcp::internal::jsonrpc::MAX_VALUES;
use genkit_mcp::internal::jsonrpc::{MAX_ID_BYTES, MAX_NESTING};

#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, code: i64, id: Value, text: &str) {
    let bytes = bytes.as_ref();
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(100)]).into_owned();
    let Err(MessageRejection::Answer(answer)) = read_message(bytes) else {
        panic!("{shown}: {:?}", read_message(bytes))
    };
    let answer: Value = super::json_of(&answer);
    let error = &answer["error"];
    assert_eq!((&error["code"], answer.get("id")), (&json!(code), Some(&id)), "{shown}: {answer}");
    assert!(error["message"].as_str().unwrap().contains(text), "{shown}: {answer}");
    assert_eq!(answer["jsonrpc"], "2.0");
}

#[track_caller]
fn dropped(text: &str) {
    assert!(matches!(read_message(text.as_bytes()), Err(MessageRejection::Silent(_))), "{text}");
}

#[test]
fn invalid_json_is_a_parse_error() {
    for line in
        ["", " ", "hello", "{", "{\"jsonrpc\":\"2.0\",\"id\":1", "{}{}", "[1,", "nul", "{'id':1}"]
    {
        refused(line, -32700, Value::Null, "not JSON");
    }
    refused(b"{\"id\":1,\"method\":\"\xFF\"}", -32700, Value::Null, "not UTF-8");
    let lone = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"s":"\ud800"}}"#;
    refused(lone, -32700, Value::Null, "not JSON");
}

#[test]
fn json_that_is_not_a_message_is_an_invalid_request() {
    for line in
        ["1", "\"text\"", "null", "true", "[]", r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#]
    {
        refused(line, -32600, Value::Null, if line.starts_with('[') { "batch" } else { "object" });
    }
    refused("{}", -32600, Value::Null, "jsonrpc");
    refused(r#"{"jsonrpc":"2.0"}"#, -32600, Value::Null, "`method` is missing");
    refused(r#"{"jsonrpc":"2.0","id":1}"#, -32600, json!(1), "`method` is missing");
    refused(r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600, json!(1), "`method` must be");
    refused(r#"{"jsonrpc":"2.0","method":5}"#, -32600, Value::Null, "`method` must be");
    refused(r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, json!("a"), "jsonrpc");
    refused(r#"{"id":2,"method":"ping"}"#, -32600, json!(2), "jsonrpc");
    refused(r#"{"jsonrpc":2.0,"id":2,"method":"ping"}"#, -32600, json!(2), "jsonrpc");
    let long = format!("\"{}\"", "x".repeat(MAX_ID_BYTES + 1));
    for id in ["null", "1.5", "true", "[1]", "{\"a\":1}", "18446744073709551615", "1e400", &long] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        refused(line, -32600, Value::Null, "`id` must be");
    }
    let both = r#"{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}"#;
    refused(both, -32600, json!(3), "neither `result` nor `error`");
    refused(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600, Value::Null, "duplicate");
    refused(r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#, -32600, json!(1), "duplicate");
}

#[test]
fn malformed_notifications_and_responses_are_ignored() {
    dropped(r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#);
    dropped(r#"{"method":"notifications/initialized"}"#);
    dropped(r#"{"jsonrpc":"2.0","result":{}}"#);
    dropped(r#"{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":"m"}}"#);
    dropped(&format!(r#"{{"jsonrpc":"2.0","method":"m","params":{}}}"#, nested(MAX_NESTING)));
    dropped(&format!(
        r#"{{"jsonrpc":"2.0","method":"m","params":[{}0]}}"#,
        "0,".repeat(MAX_VALUES)
    ));
}

#[test]
fn broken_response_fails_its_call() {
    for line in [
        r#"{"jsonrpc":"2.0","id":9,"error":"no object"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":9,"error":{},"result":{}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":9,"result":{}}}"#, nested(MAX_NESTING)),
        format!(r#"{{"result":[{}0],"jsonrpc":"2.0","id":9}}"#, "0,".repeat(MAX_VALUES)),
    ] {
        let Ok(Message::Response { id, answer: Err(error) }) = read_message(line.as_bytes()) else {
            panic!("{:?}", read_message(line.as_bytes()))
        };
        assert_eq!(id, RequestId::Number(9));
        assert!(error.message.contains("invalid response"), "{}", error.message);
    }
}

#[test]
fn message_kind_is_determined_by_its_members() {
    let id = RequestId::String("ü\"".into());
    let line = r#"{"params":{"a":[1]},"method":"tools\/call","jsonrpc":"2.0","id":"\u00fc\""}"#;
    let expected =
        Message::Request { id, method: "tools/call".into(), params: Some(r#"{"a":[1]}"#) };
    assert_eq!(read_message(line.as_bytes()), Ok(expected));
    for (id, number) in [("7", 7), ("-0", 0), ("1.0", 1), ("1e2", 100)] {
        let line =
            format!(r#" {{"jsonrpc":"2.0","id":{id},"method":"ping","params":null,"x":{{}}}}"#);
        let id = RequestId::Number(number);
        let expected = Message::Request { id, method: "ping".into(), params: None };
        assert_eq!(read_message(line.as_bytes()), Ok(expected));
    }
    let longest = "x".repeat(MAX_ID_BYTES);
    let line = format!(r#"{{"jsonrpc":"2.0","id":"{longest}","method":"ping"}}"#);
    assert!(matches!(read_message(line.as_bytes()), Ok(Message::Request { .. })));
    let line = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    let expected = Message::Notification { method: "notifications/x".into(), params: None };
    assert_eq!(read_message(line.as_bytes()), Ok(expected));
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn nesting_and_the_number_of_values_have_limits() {
    // The message, its `params` and the `arguments` are three levels.
    let call = |value: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"x":{value}}}}}}}"#
        )
    };
    assert!(read_message(call(&nested(MAX_NESTING - 3)).as_bytes()).is_ok());
    refused(call(&nested(MAX_NESTING - 2)), -32600, json!(1), "nested deeper than 127 levels");
    refused(call(&nested(100_000)), -32600, json!(1), "nested deeper");
    let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
    refused(call(&many), -32600, json!(1), "more than 200000 values");
    refused(call(&many.replace('0', "{}")), -32600, json!(1), "more than 200000 values");
    let brackets = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"[[{{\"[["#;
    refused(brackets, -32700, Value::Null, "not JSON");
}
