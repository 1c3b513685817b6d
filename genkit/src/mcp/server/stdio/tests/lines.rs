//! What one line becomes.

use rmcp::model::{JsonRpcMessage, RequestId};
use serde_json::{Value, json};

use super::super::message::{ClientMessage, Rejected, parse};
use crate::mcp::jsonrpc::MAX_NESTING;

/// A message, an error response, or nothing.
fn outcome(line: impl AsRef<[u8]>) -> Result<ClientMessage, Option<Value>> {
    parse(line.as_ref()).map_err(|rejected| match rejected {
        Rejected::Answer(refusal) => Some(serde_json::to_value(refusal).unwrap()),
        Rejected::Silent(_) => None,
    })
}

#[track_caller]
fn refused(line: impl AsRef<[u8]>, code: i64, id: Value, text: &str) {
    let line = line.as_ref();
    let shown = String::from_utf8_lossy(&line[..line.len().min(100)]);
    let answer = outcome(line).expect_err(&shown).unwrap_or_else(|| panic!("{shown}: silence"));
    let error = &answer["error"];
    assert_eq!((&error["code"], answer.get("id")), (&json!(code), Some(&id)), "{shown}: {answer}");
    assert!(error["message"].as_str().unwrap().contains(text), "{shown}: {answer}");
    assert_eq!(answer["jsonrpc"], "2.0");
}

#[track_caller]
fn dropped(line: &str) {
    assert!(matches!(outcome(line), Err(None)), "{line}: {:?}", outcome(line));
}

#[test]
fn what_is_not_json_is_a_parse_error() {
    for line in ["hello", "{", "{\"jsonrpc\":\"2.0\",\"id\":1", "{}{}", "[1,", "nul", "{'id':1}"] {
        refused(line, -32700, Value::Null, "not JSON");
    }
    refused(b"{\"id\":1,\"method\":\"\xFF\"}", -32700, Value::Null, "not UTF-8");
    let lone = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"s":"\ud800"}}"#;
    refused(lone, -32700, Value::Null, "not JSON");
}

#[test]
fn what_is_no_message_is_an_invalid_request() {
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
    for id in ["null", "1.5", "true", "[1]", "{\"a\":1}", "18446744073709551615"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        refused(line, -32600, Value::Null, "`id` must be");
    }
    let both = r#"{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}"#;
    refused(both, -32600, json!(3), "neither `result` nor `error`");
    refused(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600, Value::Null, "duplicate");
}

#[test]
fn parameters_that_are_no_object_are_invalid() {
    for params in ["[]", "[\"t\"]", "5", "\"t\"", "{\"_meta\":1}"] {
        for method in ["tools/call", "no/such/method"] {
            let line =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
            refused(line, -32602, json!(1), "must be objects");
        }
    }
}

#[test]
fn nobody_is_told_of_broken_notifications_and_answers() {
    dropped(r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#);
    dropped(r#"{"method":"notifications/initialized"}"#);
    dropped(r#"{"jsonrpc":"2.0","result":{}}"#);
    dropped(r#"{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":"m"}}"#);
    let deep = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{}}}"#, nested(MAX_NESTING));
    dropped(&deep);
}

#[test]
fn who_waits_for_a_broken_answer_hears_of_it() {
    let line = r#"{"jsonrpc":"2.0","id":9,"error":"no object"}"#;
    let Ok(JsonRpcMessage::Error(error)) = outcome(line) else { panic!("{:?}", outcome(line)) };
    assert_eq!(error.id, Some(RequestId::Number(9)));
    assert!(error.error.message.contains("unusable answer"), "{}", error.error.message);
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn nesting_has_a_limit() {
    // The message, its `params` and the `arguments` are three levels.
    let call = |levels: usize| {
        let value = nested(levels - 3);
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"x":{value}}}}}}}"#
        )
    };
    assert!(outcome(call(MAX_NESTING - 1)).is_ok());
    assert!(outcome(call(MAX_NESTING)).is_ok());
    refused(call(MAX_NESTING + 1), -32600, json!(1), "nested deeper than 127 levels");
    refused(call(100_000), -32600, json!(1), "nested deeper");
    let brackets = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"[[{{\"[["#;
    refused(brackets, -32700, Value::Null, "not JSON");
}

/// The short way must build exactly what rmcp's own reader builds.
#[test]
fn tool_calls_are_read_as_rmcp_reads_them() {
    let long = "z".repeat(300);
    for line in [
        super::add(json!(1), 1, 2),
        super::add(json!("one"), -1, 2),
        super::add(json!(1.0), 1, 2),
        r#"{"params":{"name":"a\u0064d"},"method":"tools\/call","jsonrpc":"2.0","id":1}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":null}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":null,"more":[1]},"more":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":5,"x":{"y":1e3}}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","requestState":"s","inputResponses":{}}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"tools/call","params":{{"name":"{long}"}}}}"#),
        // What rmcp takes for a custom request stays one.
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":[1]}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"c"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}"#.to_owned(),
    ] {
        let general: ClientMessage = serde_json::from_str(&line).expect(&line);
        let own = outcome(&line).expect(&line);
        assert_eq!(format!("{own:?}"), format!("{general:?}"), "{line}");
        assert_eq!(serde_json::to_value(own).unwrap(), serde_json::to_value(general).unwrap());
    }
}
