//! Lines that are not requests.

use serde_json::{Value, json};

use crate::pipe::Pipe;
use crate::server;

/// More than the maximum length of a line, which is 16 MiB.
const TOO_LONG: usize = 17 * 1024 * 1024;

/// Returns the code of the error for a line, which belongs to no request.
fn refused(pipe: &Pipe) -> i64 {
    let answer = pipe.next();
    assert_eq!(answer["id"], Value::Null, "{answer}");
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[test]
fn notification_before_the_handshake_is_survived() {
    for early in
        ["notifications/initialized", "notifications/cancelled", "notifications/unheard_of"]
    {
        let mut pipe = Pipe::start("quickstart", &[]);
        pipe.send(&json!({ "jsonrpc": "2.0", "method": early }));
        pipe.hello();
        pipe.still_serves();
    }
}

#[test]
fn response_to_nothing_is_survived() {
    let mut pipe = Pipe::start("quickstart", &[]);
    pipe.send(&json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
    pipe.hello();
    pipe.send(&json!({ "jsonrpc": "2.0", "id": "nobody", "error": { "code": 1, "message": "" } }));
    pipe.still_serves();
}

#[test]
fn broken_json_is_a_parse_error() {
    let mut pipe = Pipe::open();
    for broken in ["{\"jsonrpc\":\"2.0\",\"id\":1,", "hello", "{\"a\":}", "\u{1}"] {
        pipe.send_raw(format!("{broken}\n").as_bytes());
        assert_eq!(refused(&pipe), -32700, "{broken}");
    }
    pipe.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n");
    assert_eq!(refused(&pipe), -32700);
    pipe.still_serves();
}

#[test]
fn broken_json_before_the_handshake_is_a_parse_error_too() {
    let mut pipe = Pipe::start("quickstart", &[]);
    pipe.send_raw(b"GET / HTTP/1.1\r\n");
    assert_eq!(refused(&pipe), -32700);
    pipe.hello();
    pipe.still_serves();
}

#[test]
fn json_that_is_not_a_message_is_an_invalid_request() {
    let mut pipe = Pipe::open();
    for strange in ["[]", "5", "null", "\"text\"", "{}", "{\"jsonrpc\":\"2.0\",\"id\":null}"] {
        pipe.send_raw(format!("{strange}\n").as_bytes());
        assert_eq!(refused(&pipe), -32600, "{strange}");
    }
    for strange in [
        json!({ "id": "old", "method": "ping" }),
        json!({ "jsonrpc": "1.0", "id": "old", "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": "old", "method": 5 }),
        json!({ "jsonrpc": "2.0", "id": "old" }),
    ] {
        pipe.send(&strange);
        let answer = pipe.next();
        assert_eq!(answer["error"]["code"], -32600, "{strange}: {answer}");
        assert_eq!(answer["id"], "old", "{strange}: {answer}");
    }
    pipe.still_serves();
}

#[test]
fn batch_is_an_invalid_request() {
    let mut pipe = Pipe::open();
    pipe.send(&json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "id": 2, "method": "ping" },
    ]));
    assert_eq!(refused(&pipe), -32600);
    pipe.still_serves();
}

#[test]
fn message_nested_too_deeply_is_rejected_by_its_id() {
    let mut pipe = Pipe::open();
    for depth in [200, 100_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        pipe.send_raw(
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":\"deep\",\"method\":\"tools/call\",\"params\":\
                 {{\"name\":\"add\",\"arguments\":{{\"a\":{open}{close}}}}}}}\n"
            )
            .as_bytes(),
        );
        let answer = pipe.next();
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(answer["id"] == "deep" || answer["id"].is_null(), "{answer}");
    }
    pipe.still_serves();
}

#[test]
fn line_that_is_too_long_is_rejected_by_its_id() {
    let mut pipe = Pipe::open();
    let text = "x".repeat(TOO_LONG);
    let params = json!({ "name": "count_words", "arguments": { "text": text } });
    let answer = pipe.request("tools/call", &params);
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    pipe.still_serves();
}

#[test]
fn line_of_fifteen_mebibytes_is_served() {
    let mut pipe = Pipe::open();
    let text = "x ".repeat(15 * 1024 * 1024 / 2);
    let counted = pipe.call("count_words", &json!({ "text": text }));
    assert_eq!(counted["content"][0]["text"], (15 * 1024 * 1024 / 2).to_string());
}

#[test]
fn blank_lines_and_crlf_are_ignored() {
    let mut pipe = Pipe::open();
    pipe.send_raw(b"\n\r\n   \n{\"jsonrpc\":\"2.0\",\"id\":\"w\",\"method\":\"ping\"}\r\n");
    let answer = pipe.next();
    assert_eq!((&answer["id"], &answer["result"]), (&json!("w"), &json!({})), "{answer}");
}

#[test]
fn stdout_carries_nothing_but_messages_even_when_everything_is_logged() {
    let mut command = std::process::Command::new(server::example("notes"));
    command.arg(server::database("stdio-log")).env("RUST_LOG", "trace");
    let mut pipe = Pipe::spawn(&mut command);
    pipe.hello();
    pipe.call("add_note", &json!({ "text": "hello" }));
    pipe.call("add_note", &json!({ "text": 5 }));
    pipe.call("import_notes", &json!({ "texts": ["a", "b"] }));
    pipe.request("resources/read", &json!({ "uri": "note://99" }));
    pipe.send_raw(b"no JSON\n");
    pipe.hang_up();
    // Each line was parsed when it was read.
    assert!(!pipe.rest().is_empty());
    assert!(pipe.stderr().contains("TRACE"), "the log is on stderr:\n{}", pipe.stderr());
}
