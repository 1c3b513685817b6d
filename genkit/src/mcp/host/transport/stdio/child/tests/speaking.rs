//! What a child says, on both of its streams.

use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::transport::Transport as _;

use super::*;
use crate::mcp::host::StderrTo;

async fn exited(script: &str) -> Child {
    let folder = Folder::new();
    let (mut child, _transport) = Child::spawn("fs", &shell(&folder, script)).unwrap();
    tokio::time::timeout(PATIENCE, child.exited()).await.expect("an end");
    child
}

#[tokio::test]
async fn a_child_answers_over_its_pipe() {
    let folder = Folder::new();
    let script =
        r#"read line; echo banner; echo '{"jsonrpc":"2.0","id":4,"result":{"ok":1}}'; cat"#;
    let (child, mut transport) = Child::spawn("fs", &shell(&folder, script)).unwrap();
    let ping: ClientRequest =
        serde_json::from_value(serde_json::json!({"method": "ping"})).unwrap();
    transport.send(JsonRpcMessage::request(ping, RequestId::Number(4))).await.unwrap();
    let message = transport.receive().await.unwrap();
    assert!(
        matches!(message, JsonRpcMessage::Response(answer) if answer.id == RequestId::Number(4))
    );
    transport.close().await.unwrap();
    drop(transport);
    let since = Instant::now();
    child.end().await;
    assert!(since.elapsed() < Duration::from_millis(1900), "the end of input ends it");
}

#[tokio::test]
async fn the_obituary_says_how_and_why() {
    let mut child = exited("echo first >&2; printf 'no newline' >&2; exit 3").await;
    assert_eq!(child.stderr_tail(), ["first", "no newline"]);
    let expected = "exited with code 3; its standard error ended with:\n  first\n  no newline";
    assert_eq!(child.describe_end(), expected);
    assert_eq!(exited("exit 0").await.describe_end(), "exited with code 0");
    assert_eq!(exited("kill -9 $$").await.describe_end(), "was killed by signal 9 (SIGKILL)");
    assert_eq!(exited("kill -15 $$").await.describe_end(), "was killed by signal 15 (SIGTERM)");
    let folder = Folder::new();
    let (mut child, _transport) = Child::spawn("fs", &shell(&folder, "sleep 60")).unwrap();
    assert_eq!(child.describe_end(), "has not exited");
}

#[tokio::test]
async fn the_wait_for_the_end_can_be_given_up() {
    let folder = Folder::new();
    let (mut child, transport) = Child::spawn("fs", &shell(&folder, "cat; exit 5")).unwrap();
    for _ in 0..3 {
        let waited = tokio::time::timeout(Duration::from_millis(10), child.exited()).await;
        assert!(waited.is_err());
    }
    drop(transport);
    let status = tokio::time::timeout(PATIENCE, child.exited()).await.expect("an end").unwrap();
    assert_eq!(status.code(), Some(5));
    assert_eq!(child.exited().await.unwrap().code(), Some(5), "it is told as often as asked");
}

#[tokio::test]
async fn a_flood_of_words_does_not_stop_the_child() {
    for to in [StderrTo::Log, StderrTo::Discard] {
        let folder = Folder::new();
        let script =
            "yes 'a line of a flood' | head -c 10000000 >&2; echo >&2; echo last >&2; exit 7";
        let mut command = shell(&folder, script);
        command.stderr = to;
        let (mut child, _transport) = Child::spawn("fs", &command).unwrap();
        tokio::time::timeout(PATIENCE, child.exited()).await.expect("an end");
        let tail = child.stderr_tail();
        assert_eq!((tail.len(), tail.last().unwrap().as_str()), (20, "last"));
        assert!(child.describe_end().starts_with("exited with code 7; "));
        assert!(child.describe_end().len() < 1200);
    }
}

#[tokio::test]
async fn a_line_without_an_end_takes_no_memory() {
    let mut child =
        exited("head -c 10000000 /dev/zero | tr '\\0' x >&2; printf '\\nend\\n' >&2").await;
    let tail = child.stderr_tail();
    assert_eq!(tail.len(), 2);
    assert!(tail[0].len() < 2100 && tail[0].ends_with("x…"), "{}", tail[0].len());
    assert!(child.describe_end().ends_with("\n  end"));
}

#[tokio::test]
async fn values_of_variables_are_not_repeated() {
    let folder = Folder::new();
    let mut command = shell(&folder, "echo \"bad key $API_KEY for $MODE\" >&2");
    command.env.insert("API_KEY".into(), "sk-123456789".into());
    command.env.insert("MODE".into(), "dev".into());
    let (mut child, _transport) = Child::spawn("fs", &command).unwrap();
    child.exited().await;
    assert_eq!(child.stderr_tail(), ["bad key ${API_KEY} for dev"]);
}

#[tokio::test]
async fn what_holds_the_stream_open_is_not_waited_for() {
    let folder = Folder::new();
    let script = "sleep 60 & echo gone >&2; exit 1";
    let (mut child, _transport) = Child::spawn("fs", &shell(&folder, script)).unwrap();
    let since = Instant::now();
    child.exited().await;
    assert!(since.elapsed() < Duration::from_secs(5));
    assert!(child.describe_end().ends_with("gone"));
}
