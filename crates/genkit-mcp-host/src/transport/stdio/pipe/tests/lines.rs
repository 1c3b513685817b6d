//! Tests of the handling of single lines.

use rmcp::model::{ClientJsonRpcMessage, GetExtensions as _, RequestId, ServerJsonRpcMessage};
use serde_json::{Value, json};

use super::super::incoming::{LineOutcome, read};
use super::super::open_requests::{OpenRequests, ResultFormat};

/// Returns open requests with these ids.
fn waiting(ids: &[i64]) -> OpenRequests {
    let mut open = OpenRequests::default();
    for id in ids {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
        open.record_sent(&serde_json::from_value::<ClientJsonRpcMessage>(request).unwrap());
    }
    open
}

fn message(line: impl AsRef<[u8]>, open: &[i64]) -> Value {
    let line = line.as_ref();
    match read(line, &waiting(open)) {
        LineOutcome::Message(message) => serde_json::to_value(message).unwrap(),
        other => panic!("{}: {other:?}", String::from_utf8_lossy(&line[..line.len().min(200)])),
    }
}

/// Asserts that the call `id` fails with an error that contains `text`.
#[track_caller]
fn fails(line: impl AsRef<[u8]>, id: i64, text: &str) {
    let found = message(line, &[3, 7]);
    assert_eq!((&found["id"], &found["error"]["code"]), (&json!(id), &json!(-32603)), "{found}");
    let said = found["error"]["message"].as_str().unwrap();
    assert!(said.contains(text) && said.starts_with("the server's response "), "{said}");
}

#[track_caller]
fn refused(line: impl AsRef<[u8]>, code: i64, id: Value, text: &str) {
    let LineOutcome::Refused(refusal) = read(line.as_ref(), &waiting(&[3, 7])) else {
        panic!("{}", String::from_utf8_lossy(line.as_ref()));
    };
    let refusal = serde_json::to_value(refusal).unwrap();
    assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&id, &json!(code)), "{refusal}");
    assert!(refusal["error"]["message"].as_str().unwrap().contains(text), "{refusal}");
}

#[track_caller]
fn stray(line: impl AsRef<[u8]>) {
    let found = read(line.as_ref(), &waiting(&[3, 7]));
    assert!(matches!(found, LineOutcome::Stray(..)), "{found:?}");
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

/// A number that would be rounded is rejected in a result that a program uses. In the schemas of a list, it is a limit
/// and is rounded.
#[test]
fn number_that_would_be_rounded_fails_its_call() {
    let answer =
        |number: &str| format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"x":[{number}]}}}}"#);
    let request = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    let mut request = serde_json::from_value::<ClientJsonRpcMessage>(request).unwrap();
    if let ClientJsonRpcMessage::Request(request) = &mut request {
        request.request.extensions_mut().insert(ResultFormat::Untyped);
    }
    let mut open = OpenRequests::default();
    open.record_sent(&request);
    let read = |number: &str| match read(answer(number).as_bytes(), &open) {
        LineOutcome::Message(message) => serde_json::to_value(message).unwrap(),
        other => panic!("{other:?}"),
    };
    for number in ["123456789012345678901", "-9223372036854775809", "0.1234567890123456789"] {
        let found = read(number);
        let said = found["error"]["message"].as_str().unwrap_or_else(|| panic!("{found}"));
        assert!(said.contains(number) && said.contains("as a string"), "{said}");
        assert_eq!(message(answer(number), &[7])["id"], 7, "a list");
        let asked = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{{"x":{number}}}}}"#
        );
        refused(asked, -32700, json!(1), number);
    }
    assert_eq!(read("18446744073709551615")["result"]["x"][0], u64::MAX);
}

#[test]
fn broken_response_fails_its_call() {
    fails(
        r#"{"jsonrpc":"2.0","id":7,"error":"boom"}"#,
        7,
        r#"error object (invalid type: string "boom""#,
    );
    fails(r#"{"jsonrpc":"2.0","id":7,"error":{"message":"no code"}}"#, 7, "no code");
    fails(r#"{"jsonrpc":"2.0","id":7,"error":{"code":"E_X","message":"m"}}"#, 7, "E_X");
    fails(r#"{"jsonrpc":"2.0","id":7,"error":[1]}"#, 7, "[1]");
    fails(r#"{"jsonrpc":"1.0","id":7,"result":{}}"#, 7, r#"`jsonrpc` must be "2.0""#);
    fails(r#"{"id":7,"result":{}}"#, 7, "`jsonrpc` must be");
    fails(r#"{"id":7,"error":{"code":1,"message":"m"}}"#, 7, "`jsonrpc` must be");
    fails(r#"{"jsonrpc":"2.0","id":7}"#, 7, "neither `result` nor `error`");
    fails(r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"m"}}"#, 7, "both");
    fails(r#"{"jsonrpc":"2.0","id":7,"method":"m","result":{}}"#, 7, "a `method` in addition");
    fails(r#"{"jsonrpc":"2.0","id":3,"id":7,"result":{}}"#, 7, "duplicate field `id`");
    fails(
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":{}}}"#, nested(127)),
        7,
        "128 levels deep, but the limit is 127",
    );
    fails(
        format!(r#"{{"jsonrpc":"2.0","result":{},"id":7}}"#, nested(9999)),
        7,
        "levels deep, but the limit is 127",
    );
    fails(r#"{"jsonrpc":"2.0","id":"7","error":"boom"}"#, 7, "boom");
    fails(r#"{"jsonrpc":"2.0","id":7.0,"error":"boom"}"#, 7, "boom");
    let long = "y".repeat(9000);
    fails(format!(r#"{{"jsonrpc":"2.0","id":7,"error":"{long}"}}"#), 7, "…");
}

/// A message with `NaN`, a lone surrogate or a byte that is not UTF-8 is repaired, so that its other content is read.
#[test]
fn text_that_is_almost_json_is_read() {
    let begin = br#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"#;
    let end = br#"}],"structuredContent":{"a":[NaN,-Infinity]}}}"#;
    for (text, read) in
        [(&br#""\ud800""#[..], "\u{fffd}"), (b"\"caf\xE9\"", "caf\u{fffd}"), (b"\"x\"", "x")]
    {
        let result = message([&begin[..], text, end].concat(), &[3, 7])["result"].take();
        assert_eq!(result["content"][0]["text"], read);
        assert_eq!(result["structuredContent"], json!({"a": [null, null]}));
    }
}

#[test]
fn answer_that_is_cut_anywhere_fails_its_call() {
    let whole =
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"ü\"}"}],"n":1e3}}"#;
    let id_is_there = whole.find(",\"result").unwrap() + 1;
    for cut in 1..whole.len() {
        let line = &whole.as_bytes()[..cut];
        if cut >= id_is_there { fails(line, 7, "") } else { stray(line) }
    }
    // The other order: the id is known only at the end.
    let whole = r#"{"jsonrpc":"2.0","result":{},"id":7}"#;
    for cut in 1..whole.len() - 1 {
        stray(&whole.as_bytes()[..cut]);
    }
}

#[test]
fn error_without_an_id_is_for_the_one_request_that_waits() {
    for id in ["", r#""id":null,"#, r#""id":1.5,"#] {
        let line = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"m"}}}}"#);
        let found = message(&line, &[7]);
        assert_eq!((&found["id"], &found["error"]["code"]), (&json!(7), &json!(-32700)), "{line}");
        for open in [&[][..], &[3, 7]] {
            assert!(
                matches!(read(line.as_bytes(), &waiting(open)), LineOutcome::Stray(..)),
                "{line}"
            );
        }
        let line = format!(r#"{{"jsonrpc":"2.0",{id}"error":"boom"}}"#);
        assert!(message(&line, &[7])["error"]["message"].as_str().unwrap().contains("boom"));
    }
    let found = message(r#"{"jsonrpc":"2.0","result":{}}"#, &[7]);
    assert!(found["error"]["message"].as_str().unwrap().contains("no usable `id`"), "{found}");
}

#[test]
fn request_that_cannot_be_read_is_answered() {
    refused(
        r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}"#,
        -32600,
        json!("a"),
        "objects",
    );
    refused(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, json!(1), "jsonrpc");
    refused(r#"{"jsonrpc":"2.0","id":7,"method":5}"#, -32600, json!(7), "`method` must be");
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{}}}"#, nested(500));
    refused(deep, -32700, json!(1), "nested deeper");
    refused(
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"#,
        -32700,
        json!(1),
        "not valid JSON",
    );
    stray(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#);
}

#[test]
fn invalid_message_is_skipped() {
    for line in [
        "Server listening on stdio",
        "null",
        "7",
        "[]",
        "[1,",
        "{",
        "{}",
        "{'id':7}",
        "\"text\"",
        r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#,
        // JSON logs of servers.
        r#"{"level":30,"time":1,"pid":5,"msg":"hello"}"#,
        r#"{"level":"info","id":7,"msg":"request"}"#,
        r#"{"level":"info","id":7,"method":"GET","url":"/"}"#,
        r#"{"level":"info","id":7,"msg":"cut"#,
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","method":5}"#,
        r#"{"jsonrpc":"1.0","method":"notifications/message"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":[1]}"#,
        // No call waits for these.
        r#"{"jsonrpc":"2.0","id":8,"error":"boom"}"#,
        r#"{"jsonrpc":"2.0","id":8,"result":"#,
    ] {
        stray(line);
    }
    stray(b"\xFF\xFE{\"id\":7}");
}

#[test]
fn null_next_to_a_result_or_error_is_ignored() {
    let found = message(r#"{"jsonrpc":"2.0","id":7,"result":{"a":1},"error":null}"#, &[7]);
    assert_eq!(found["result"], json!({"a": 1}));
    let found =
        message(r#"{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":1,"message":"m"}}"#, &[7]);
    assert_eq!(found["error"]["code"], 1);
}

/// The optimized parsers must build exactly what rmcp's own reader builds.
#[test]
fn messages_are_read_as_rmcp_reads_them() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":[1,2]}"#,
        r#"{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"t"}],"isError":true}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"new","x":1}],"tools":5}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"c","_meta":{"a":1}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":{"a":[1.5e300]}}}"#,
        r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"m"},"more":1}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"d","_meta":{"x":1}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/new","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":5,"_meta":{"progressToken":"t"}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"roots/list","params":{}}"#,
    ] {
        let general: ServerJsonRpcMessage = serde_json::from_str(line).expect(line);
        let LineOutcome::Message(own) = read(line.as_bytes(), &waiting(&[1])) else {
            panic!("{line}")
        };
        assert_eq!(format!("{own:?}"), format!("{general:?}"), "{line}");
        assert_eq!(serde_json::to_value(own).unwrap(), serde_json::to_value(general).unwrap());
    }
}

#[test]
fn ids_are_ours_as_numbers_and_as_text() {
    let open = waiting(&[7]);
    assert_eq!(open.own_id(&RequestId::String("7".into())), Some(RequestId::Number(7)));
    assert_eq!(open.own_id(&RequestId::String("x".into())), None);
    assert_eq!(open.only_request(), Some(RequestId::Number(7)));
}

proptest::proptest! {
    /// Every input has an outcome, which is never a response that was not requested.
    #[test]
    fn no_line_breaks_the_reader(line: Vec<u8>) {
        let found = read(&line, &waiting(&[7]));
        proptest::prop_assert!(matches!(found, LineOutcome::Stray(..)), "{found:?}");
    }

    /// A response with one changed byte is a response, an error of the same call, or ignored.
    #[test]
    fn wrong_byte_does_not_reach_another_call(at in 0..62_usize, byte: u8) {
        let mut line = br#"{"jsonrpc":"2.0","id":77,"result":{"content":[],"a":"b\u0041"}}"#.to_vec();
        line[at] = byte;
        match read(&line, &waiting(&[77, 3])) {
            LineOutcome::Message(message) => {
                let id = serde_json::to_value(message).unwrap()["id"].clone();
                proptest::prop_assert!(id != json!(3), "{}", String::from_utf8_lossy(&line));
            }
            LineOutcome::Stray(..) => {}
            LineOutcome::Refused(refusal) => proptest::prop_assert!(false, "{refusal:?}"),
        }
    }
}
