//! Tests of the transport as a whole.

use rmcp::model::{CancelledNotification, CancelledNotificationParam, ClientNotification};

use super::*;
use crate::transport::redact::Redactor;

const LIMIT: usize = 1 << 20;

#[tokio::test]
async fn line_above_the_limit_fails_its_call_and_the_next_one_is_read() {
    let (mut transport, mut server) = connect(1 << 16, LIMIT);
    ask(&mut transport, 0).await;
    ask(&mut transport, 1).await;
    let writing = tokio::spawn(async move {
        // 100 MB that are never in memory as a whole, with the id at their end.
        let piece = vec![b'x'; 1 << 20];
        server.output.write_all(br#"{"jsonrpc":"2.0","result":{"text":""#).await.unwrap();
        for _ in 0..100 {
            server.output.write_all(&piece).await.unwrap();
        }
        server.line(br#""},"id":1}"#).await;
        server.line(r#"{"jsonrpc":"2.0","id":0,"result":{"ok":true}}"#).await;
        server
    });
    let failed = next(&mut transport).await.unwrap();
    let said = failed["error"]["message"].as_str().unwrap();
    assert_eq!(failed["id"], 1);
    assert_eq!(
        said,
        "the server's response is 104857645 bytes long, but the limit is 1048576; raise \
         `.max_message(..)` or request less data"
    );
    assert!(transport.lines.held() <= 4 * LIMIT, "{}", transport.lines.held());
    assert_eq!(next(&mut transport).await.unwrap()["result"]["ok"], true);
    drop(writing.await.unwrap());
    assert_eq!(next(&mut transport).await, None);
}

#[tokio::test]
async fn request_above_the_limit_is_answered() {
    let (mut transport, mut server) = connect(1 << 16, 100);
    let long = "x".repeat(200);
    let line = format!(r#"{{"jsonrpc":"2.0","id":"s","method":"m","params":{{"x":"{long}"}}}}"#);
    server.line(line).await;
    server.line(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#).await;
    assert_eq!(next(&mut transport).await.unwrap()["method"], "notifications/x");
    let refusal = server.receive().await;
    assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&json!("s"), &json!(-32600)));
    assert_eq!(transport.stray.line_count(), 0);
}

#[tokio::test]
async fn noise_is_counted_and_passed_over() {
    let (mut transport, mut server) = connect(1 << 16, LIMIT);
    ask(&mut transport, 0).await;
    for line in ["Listening...", "", "   ", "\u{feff}", "[1]", "{", "DEBUG {\"id\":0}"] {
        server.line(line).await;
    }
    server.line(r#"{"jsonrpc":"2.0","id":0,"result":{}}"#).await;
    assert_eq!(next(&mut transport).await.unwrap()["id"], 0);
    assert_eq!(transport.stray.line_count(), 4);
}

#[tokio::test]
async fn every_split_gives_the_same() {
    let text = "banner\n{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":\"boom\"}\r\n\
                {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"ü\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2";
    for split in 0..text.len() {
        let (mut transport, mut server) = connect(1 << 16, LIMIT);
        for id in 0..3 {
            ask(&mut transport, id).await;
        }
        server.output.write_all(&text.as_bytes()[..split]).await.unwrap();
        // Cancelling a read in the middle loses no data.
        let mut found = Vec::new();
        while let Ok(message) = tokio::time::timeout(Duration::ZERO, transport.receive()).await {
            found.push(serde_json::to_value(message.unwrap()).unwrap());
        }
        server.output.write_all(&text.as_bytes()[split..]).await.unwrap();
        server.output.shutdown().await.unwrap();
        drop(server);
        while let Some(message) = next(&mut transport).await {
            found.push(message);
        }
        let ids: Vec<_> = found.iter().map(|message| message["id"].clone()).collect();
        // The last line has no newline, so its id might continue: only a comma shows that it is complete.
        assert_eq!(ids, [0, 1], "split at {split}: {found:?}");
        assert_eq!(transport.stray.line_count(), 2, "split at {split}");
    }
}

#[tokio::test]
async fn duplicates_and_unknown_answers_are_passed_on() {
    let (mut transport, mut server) = connect(1 << 16, LIMIT);
    ask(&mut transport, 5).await;
    for id in [5, 5, 99] {
        server.line(json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string()).await;
        assert_eq!(next(&mut transport).await.unwrap()["id"], id);
    }
}

#[tokio::test]
async fn cancelled_request_is_no_longer_pending() {
    let (mut transport, mut server) = connect(1 << 16, LIMIT);
    ask(&mut transport, 0).await;
    ask(&mut transport, 1).await;
    let params = CancelledNotificationParam::new(Some(RequestId::Number(0)), None);
    let cancelled = ClientNotification::CancelledNotification(CancelledNotification::new(params));
    transport.send(JsonRpcMessage::notification(cancelled)).await.unwrap();
    server.line(r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"m"}}"#).await;
    assert_eq!(next(&mut transport).await.unwrap()["id"], 1);
}

#[tokio::test]
async fn closing_writes_what_waits_and_ends_the_servers_input() {
    let (mut transport, mut server) = connect(16, LIMIT);
    let asked = tokio::spawn(async move {
        ask(&mut transport, 0).await;
        transport.close().await.unwrap();
        transport
    });
    assert_eq!(server.receive().await["id"], 0);
    let mut transport = asked.await.unwrap();
    let mut rest = String::new();
    assert_eq!(server.input.read_line(&mut rest).await.unwrap(), 0);
    let request: ClientRequest = serde_json::from_value(json!({"method": "ping"})).unwrap();
    let sent = transport.send(JsonRpcMessage::request(request, RequestId::Number(1))).await;
    assert!(sent.is_err());
}

#[tokio::test]
async fn server_that_does_not_read_is_still_read_from() {
    let (mut transport, mut server) = connect(64, LIMIT);
    for id in 0..50 {
        ask(&mut transport, id).await;
    }
    for id in 0..50 {
        server.line(json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string()).await;
        assert_eq!(next(&mut transport).await.unwrap()["id"], id);
    }
    assert_eq!(server.receive().await["id"], 0);
}

#[tokio::test]
async fn exit_of_the_server_is_reported() {
    let (mut transport, server) = connect(64, LIMIT);
    drop(server);
    let request: ClientRequest = serde_json::from_value(json!({"method": "ping"})).unwrap();
    let sent = transport.send(JsonRpcMessage::request(request, RequestId::Number(1))).await;
    assert!(sent.is_err());
    assert_eq!(next(&mut transport).await, None);
}

/// rmcp's own transport waits forever for each of these.
#[tokio::test]
async fn call_with_unreadable_response_fails() {
    use rmcp::ServiceExt as _;
    use rmcp::model::CallToolRequestParams;
    use rmcp::service::ServiceError;

    let (transport, mut server) = connect(1 << 16, 1000);
    let serving = tokio::spawn(async move {
        let asked = server.receive().await;
        server.line("Listening on stdio").await;
        let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "n", "version": "1"}});
        server
            .line(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string())
            .await;
        assert_eq!(server.receive().await["method"], "notifications/initialized");
        let long = "x".repeat(2000);
        for answer in [
            r#"{"jsonrpc":"2.0","id":ID,"error":"boom"}"#,
            r#"{"jsonrpc":"1.0","id":ID,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"which one"}}"#,
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[}}"#,
            &format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":"{long}"}}}}"#),
            r#"{"jsonrpc":"2.0","id":"ID","result":{"content":[]}}"#,
        ] {
            let asked = server.receive().await;
            server.line(answer.replace("ID", &asked["id"].to_string())).await;
        }
        server
    });
    let client = ().serve(transport).await.unwrap();
    let call = || {
        let call = client.call_tool(CallToolRequestParams::new("t"));
        tokio::time::timeout(PATIENCE, call)
    };
    for text in ["boom", "`jsonrpc` must be", "which one", "not valid JSON", "limit is 1000"] {
        match call().await.expect("an end") {
            Err(ServiceError::McpError(error)) => {
                assert!(error.message.contains(text), "{error:?}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    call().await.expect("an end").unwrap();
    client.cancel().await.unwrap();
    drop(serving.await.unwrap());
}

#[tokio::test]
async fn error_repeats_no_configured_secret() {
    let server = crate::ServerConfig::stdio("x").env("API_KEY", "sk-123456789");
    let redactor = Redactor::for_command(&server.command.child);
    let (transport, mut server) = connect(4096, 4096);
    let mut transport = transport.with_redactor(redactor);
    ask(&mut transport, 1).await;
    server.receive().await;
    server.line(r#"{"jsonrpc":"2.0","id":1,"error":"bad key sk-123456789"}"#).await;
    let said = next(&mut transport).await.unwrap()["error"]["message"].to_string();
    assert!(said.contains("bad key ${API_KEY}") && !said.contains("sk-"), "{said}");
}
