//! Tests of servers that are child processes, with real processes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

use std::time::{Duration, Instant};

use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::transport::Transport as _;

use super::*;
use crate::config::{ServerConfig, StdioTransport};
use crate::transport::redact::Redactor;
use genkit_core::ErrorKind;

fn shell(script: &str) -> StdioTransport {
    ServerConfig::stdio("sh").args(["-c", script])
}

#[tokio::test]
async fn server_answers_over_its_pipe() {
    let script =
        r#"read line; echo banner; echo '{"jsonrpc":"2.0","id":4,"result":{"ok":1}}'; cat"#;
    let (child, mut pipe) = spawn_child("fs", &shell(script).command, Redactor::default()).unwrap();
    let ping: ClientRequest =
        serde_json::from_value(serde_json::json!({"method": "ping"})).unwrap();
    pipe.send(JsonRpcMessage::request(ping, RequestId::Number(4))).await.unwrap();
    let message = pipe.receive().await.unwrap();
    assert!(
        matches!(message, JsonRpcMessage::Response(answer) if answer.id == RequestId::Number(4))
    );
    pipe.close().await.unwrap();
    drop(pipe);
    let since = Instant::now();
    child.shutdown().await;
    assert!(since.elapsed() < Duration::from_millis(1900), "the child exits at the end of input");
}

#[tokio::test]
async fn stderr_is_redacted_even_if_not_logged() {
    for (to, expected) in [
        (StderrTo::Log, vec!["bad key ${API_KEY} for dev"]),
        (StderrTo::Discard, vec!["bad key ${API_KEY} for dev"]),
        (StderrTo::Inherit, vec![]),
    ] {
        let server = shell("echo \"bad key $API_KEY for $MODE\" >&2")
            .env("API_KEY", "sk-123456789")
            .env("MODE", "dev")
            .stderr(to);
        let (mut child, _pipe) =
            spawn_child("fs", &server.command, Redactor::for_command(&server.command.child))
                .unwrap();
        child.wait().await;
        assert_eq!(child.stderr_tail(), expected);
    }
}

#[tokio::test]
async fn failed_start_has_the_kind_of_its_cause() {
    let odd = executable("odd", "\u{1}\u{2}\u{3}\u{4}");
    for (server, kind, text) in [
        (ServerConfig::stdio(""), ErrorKind::InvalidArgument, "the server's command is empty"),
        (ServerConfig::stdio("/"), ErrorKind::InvalidArgument, "is a folder: /"),
        (ServerConfig::stdio("sh").cwd("/no/such"), ErrorKind::InvalidArgument, "`cwd`"),
        (ServerConfig::stdio("sh").arg("a\0b"), ErrorKind::InvalidArgument, "NUL"),
        (ServerConfig::stdio("/no/such"), ErrorKind::NotFound, "check the path"),
        (ServerConfig::stdio("/etc/passwd"), ErrorKind::PermissionDenied, "chmod +x"),
        (
            ServerConfig::stdio(&odd),
            ErrorKind::FailedPrecondition,
            "not a program for this machine",
        ),
    ] {
        let Err(error) =
            spawn_child("fs", &server.command, Redactor::for_command(&server.command.child))
        else {
            panic!("{text}: it was started")
        };
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
    std::fs::remove_file(odd).unwrap();
}

/// Creates an executable file.
fn executable(name: &str, text: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let file = std::env::temp_dir().join(format!("genkit-{}-{name}", std::process::id()));
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file
}
