//! Each request gets one response, with its own id (F-3, F-6, F-7, F-8, F-10).

use std::time::Duration;

use serde_json::{Value, json};

use super::target::{Target, server};
use crate::pipe::Pipe;
use crate::raw::{self, Answer, Client, Era, host, within};
use crate::server::Server;

fn slow_call(id: &Value, modern: bool) -> Value {
    let mut params = raw::call_params("test_reconnection", &json!({}));
    if modern {
        params["_meta"] = raw::meta(&json!({}));
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// F-3: the second request with the same id is refused, and the first one is answered.
#[test]
fn id_that_is_in_use_is_rejected_on_a_pipe() {
    for modern in [false, true] {
        let mut pipe = Pipe::start("conformance", &[]);
        if !modern {
            pipe.hello();
        }
        for id in [json!(41), json!("forty-one"), json!(0), json!(-7), json!("")] {
            let call = slow_call(&id, modern);
            pipe.send(&call);
            pipe.send(&call);
            let answers = [pipe.answer(&id), pipe.answer(&id)];
            let refused = answers.iter().filter(|a| a["error"]["code"] == -32600).count();
            let served = answers.iter().filter(|a| a["result"].is_object()).count();
            assert_eq!((refused, served), (1, 1), "{answers:?}");
            // After the response the id may be used again.
            pipe.send(&call);
            assert!(pipe.answer(&id)["result"].is_object());
        }
        // These are two different ids.
        pipe.send(&slow_call(&json!(5), modern));
        pipe.send(&slow_call(&json!("5"), modern));
        let mut ids = [pipe.next()["id"].clone(), pipe.next()["id"].clone()];
        ids.sort_by_key(Value::is_string);
        assert_eq!(ids, [json!(5), json!("5")]);
    }
}

/// F-3: the same in a session over HTTP. Without sessions, each client has its own ids.
#[tokio::test]
async fn id_that_is_in_use_is_rejected_within_a_session_only() {
    let server = Server::start("conformance", &[]);
    let to = raw::address(&server);
    for era in Era::BOTH {
        let client = Client::open(to, host(1), era).await;
        let call = client.bytes(&slow_call(&json!(41), era == Era::Modern));
        let mut both = [client.connect().await.unwrap(), client.connect().await.unwrap()];
        for connection in &mut both {
            connection.send(&call).await.unwrap();
        }
        let mut codes = Vec::new();
        for connection in &mut both {
            let answer: Answer = within("an answer", connection.answer()).await.unwrap();
            let messages = answer.messages();
            assert_eq!(messages.len(), 1, "{answer:?}");
            assert_eq!(messages[0]["id"], 41, "{answer:?}");
            codes.extend(answer.code());
        }
        let wanted: &[i64] = if era == Era::Sessions { &[-32600] } else { &[] };
        assert_eq!(codes, wanted, "{era:?}");
        // Ids of another session are independent.
        let mut other = Client::open(to, host(1), era).await;
        let mut same = client.connect().await.unwrap();
        same.send(&call).await.unwrap();
        let answer = other.post(&slow_call(&json!(41), era == Era::Modern)).await.unwrap();
        assert!(answer.messages()[0]["result"].is_object(), "{answer:?}");
    }
}

/// JSON numbers that no machine type can represent.
fn huge() -> [String; 4] {
    let digits = "9".repeat(400);
    ["1e400".to_owned(), "-1e400".to_owned(), digits.clone(), format!("0.{digits}e999")]
}

/// F-6: such a number is valid JSON, and its request has an id.
#[test]
fn number_out_of_range_does_not_lose_its_requests_id_on_a_pipe() {
    let mut pipe = Pipe::open();
    for number in huge() {
        for (at, params) in [
            ("arguments", format!("{{\"name\":\"add\",\"arguments\":{{\"a\":{number},\"b\":1}}}}")),
            ("params", format!("{{\"name\":\"add\",\"extra\":{number}}}")),
            ("meta", format!("{{\"name\":\"add\",\"_meta\":{{\"progressToken\":{number}}}}}")),
        ] {
            for id in ["77", "\"seventy-seven\""] {
                let line = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\
                     \"params\":{params}}}\n"
                );
                pipe.send_raw(line.as_bytes());
                let answer = pipe.next();
                let id: Value = serde_json::from_str(id).unwrap();
                assert_eq!(answer["id"], id, "{at} {}: {answer}", &number[..6.min(number.len())]);
            }
        }
    }
    pipe.still_serves();
}

#[tokio::test]
async fn number_out_of_range_does_not_lose_its_requests_id_over_http() {
    let server = Server::start("quickstart", &[]);
    for era in Era::BOTH {
        let client = Client::open(raw::address(&server), host(1), era).await;
        let meta = raw::meta(&json!({}));
        for number in huge() {
            let body = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":\
                 {{\"_meta\":{meta},\"name\":\"add\",\"arguments\":{{\"a\":{number},\"b\":1}}}}}}"
            );
            let mut head = client.head("POST");
            if era == Era::Modern {
                head += "mcp-method: tools/call\r\nmcp-name: add\r\n";
            }
            let length = body.len();
            let bytes = format!(
                "{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            let mut connection = client.connect().await.unwrap();
            connection.send(bytes.as_bytes()).await.unwrap();
            let answer = within("an answer", connection.answer()).await.unwrap();
            assert_eq!(answer.messages()[0]["id"], 77, "{era:?}: {answer:?}");
        }
    }
}

/// F-7: a missing capability of the client is not an error from the server.
#[test]
fn missing_client_capability_is_not_a_server_error() {
    for modern in [false, true] {
        let mut pipe = Pipe::start("conformance", &[]);
        if !modern {
            pipe.hello();
        }
        let mut params = json!({ "name": "test_input_required_result_prompt" });
        if modern {
            params["_meta"] = raw::meta(&json!({}));
        }
        let answer = pipe.request("prompts/get", &params);
        let code = answer["error"]["code"].as_i64();
        assert!(code.is_some_and(|code| code != -32603), "{answer}");
    }
}

/// F-8: a connection may use one era or both, and survives a mixture.
#[test]
fn handshake_after_a_modern_call_is_complete_or_rejected() {
    let mut pipe = Pipe::start("quickstart", &[]);
    let mut params = raw::call_params("add", &json!({ "a": 2, "b": 40 }));
    params["_meta"] = raw::meta(&json!({}));
    assert_eq!(pipe.request("tools/call", &params)["result"]["structuredContent"], 42);
    let initialize = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "late", "version": "1" }
    });
    let answer = pipe.request("initialize", &initialize);
    let older = |pipe: &mut Pipe| {
        let call = raw::call_params("add", &json!({ "a": 2, "b": 40 }));
        pipe.request("tools/call", &call)["result"].is_object()
    };
    if answer["result"].is_object() {
        pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert!(older(&mut pipe), "the handshake was accepted, but no request is served after it");
    } else {
        assert!(answer["error"].is_object(), "{answer}");
    }
    assert_eq!(pipe.request("tools/call", &params)["result"]["structuredContent"], 42);
}

/// F-10: a client that cancels a request gets no response, whatever the request was for.
#[test]
fn cancelled_request_is_not_answered_on_a_pipe() {
    for modern in [false, true] {
        // On a busy machine, a function can end before its cancellation arrives.
        let answered: Vec<Value> = (0..10).map_while(|_| answered_cancelled(modern)).collect();
        assert!(answered.len() < 10, "a cancelled request was answered: {answered:?}");
    }
}

/// Cancels requests, and returns the response to one of them, if there is any.
fn answered_cancelled(modern: bool) -> Option<Value> {
    let tool = |name: &str, arguments: Value| ("tools/call", raw::call_params(name, &arguments));
    let requests = [
        tool("test_reconnection", json!({})),
        tool("test_tool_with_progress", json!({})),
        tool("test_elicitation", json!({ "message": "Who?" })),
        tool("test_sampling", json!({ "prompt": "Hello." })),
        tool("test_input_required_result_list_roots", json!({})),
        ("prompts/get", json!({ "name": "test_input_required_result_prompt" })),
        ("tools/list", json!({})),
    ];
    let mut pipe = Pipe::start("conformance", &[]);
    let capabilities = json!({ "elicitation": {}, "sampling": {}, "roots": {} });
    if !modern {
        let info = json!({ "name": "cancelling", "version": "1" });
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info
        });
        pipe.request("initialize", &params);
        pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }
    for (number, (method, params)) in requests.iter().enumerate() {
        let id = json!(format!("cancelled-{number}"));
        let meta = raw::meta(&capabilities);
        let mut params = params.clone();
        let mut cancel = json!({ "requestId": id, "reason": "no need" });
        if modern {
            params["_meta"] = meta.clone();
            cancel["_meta"] = meta;
        }
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        pipe.send(&request);
        if !modern && *method != "tools/list" {
            // It is running or waiting for an answer.
            std::thread::sleep(Duration::from_millis(40));
        }
        let method = "notifications/cancelled";
        pipe.send(&json!({ "jsonrpc": "2.0", "method": method, "params": cancel }));
    }
    std::thread::sleep(Duration::from_millis(800));
    pipe.send(&slow_call(&json!("last"), modern));
    loop {
        let next = pipe.next();
        if next["id"] == "last" {
            return None;
        }
        // A response that was sent before the cancellation arrived is not an error: a list, or a question of the
        // newer era, which is a result.
        let early = next["id"] == "cancelled-6" || next["result"]["inputRequests"].is_object();
        let asked = next["method"].is_string();
        if !early && !asked {
            return Some(next);
        }
    }
}

#[tokio::test]
async fn cancelled_request_is_not_answered_over_http() {
    let target = Target::serve(server());
    let mut client = Client::open(target.address, host(1), Era::Sessions).await;
    for millis in [700, 0] {
        let params = raw::call_params("sleep", &json!({ "millis": 700 }));
        let (id, mut connection) = client.begin("tools/call", params).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        // Cancelling another id, or a request of another session, has no effect.
        let mut other = Client::open(target.address, host(1), Era::Sessions).await;
        let cancel = json!({ "requestId": id });
        other.tell("notifications/cancelled", cancel.clone()).await.unwrap();
        client.tell("notifications/cancelled", json!({ "requestId": 4711 })).await.unwrap();
        client
            .tell("notifications/cancelled", json!({ "requestId": id.to_string() }))
            .await
            .unwrap();
        if millis > 0 {
            let answer = within("an answer", connection.answer()).await.unwrap();
            assert_eq!(answer.messages().len(), 1, "{answer:?}");
            assert!(answer.messages()[0]["result"].is_object(), "{answer:?}");
            continue;
        }
        client.tell("notifications/cancelled", cancel).await.unwrap();
        let ended = within("the end of the answer", connection.answer()).await;
        let messages = ended.map(|answer| answer.messages()).unwrap_or_default();
        let answered = messages.iter().any(|message| message.get("method").is_none());
        assert!(!answered, "{messages:?}");
    }
}
