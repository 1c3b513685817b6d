//! Detection of the era, with servers that make it difficult (rmcp.md 3.2).

use std::time::Duration;

use genkit::ErrorKind;
use genkit::mcp::host::{ProtocolEra, ServerState};

use super::{Faulty, says};

const OLD: &str = "2025-11-25";

#[tokio::test]
async fn handshake_never_proposes_the_protocol_without_one() {
    // This server accepts any version.
    for era in [ProtocolEra::Probe, ProtocolEra::Sessions] {
        let server = Faulty::with("echo-version", |server| server.protocol(era));
        server.ready().await.unwrap();
        assert_eq!(server.protocol(), OLD);
        server.echoes().await;
        server.end().await;
    }
}

#[tokio::test]
async fn unknown_protocol_version_is_rejected() {
    let server = Faulty::new("ancient");
    let error = server.ready().await.unwrap_err();
    says(&error, &["1999-01-01", "supported versions", OLD]);
    assert_eq!(server.client.status().state, ServerState::Failed);
    server.end().await;
}

#[tokio::test]
async fn old_servers_are_detected_from_any_response_to_the_probe() {
    for mode in ["good", "exit-on-discover", "foreign-id", "empty-result", "silent-discover"] {
        let server = Faulty::new(mode);
        server.ready().await.unwrap_or_else(|error| panic!("{mode}: {error}"));
        assert_eq!(server.protocol(), OLD, "{mode}");
        server.echoes().await;
        // The era of the server is not detected again.
        server.host.reconnect("s").await.unwrap();
        server.echoes().await;
        server.end().await;
    }
}

#[tokio::test]
async fn slow_start_is_not_an_error() {
    let server = Faulty::new("slow-start 2.5");
    server.ready().await.unwrap();
    assert_eq!(server.protocol(), OLD);
    server.echoes().await;
    server.end().await;
}

#[tokio::test]
async fn slow_server_is_probed_as_an_older_one() {
    // The server then receives the old handshake, which it does not support.
    let server = Faulty::new("mrtr-forever 1.5");
    server.ready().await.unwrap();
    assert_eq!(server.protocol(), "2026-07-28");
    assert_eq!(server.client.tools().await.unwrap().len(), 1);
    server.end().await;
}

#[tokio::test]
async fn program_that_hangs_at_its_start_is_quoted() {
    let server = Faulty::with("stderr-flood", |server| {
        server.connect_timeout(Duration::from_secs(1)).env("HANG", "1")
    });
    let error = server.ready().await.unwrap_err();
    says(&error, &["did not respond to the handshake within 1s", "waiting for the moon"]);
    server.end().await;
}

#[tokio::test]
async fn old_server_that_must_be_new_is_rejected() {
    let server = Faulty::with("good", |server| server.protocol(ProtocolEra::Stateless));
    let error = server.ready().await.unwrap_err();
    says(&error, &["no method server/discover"]);
    assert_eq!(error.kind(), ErrorKind::Unimplemented);
    server.end().await;
}

#[tokio::test]
async fn server_that_never_answers_is_given_up() {
    let limit = Duration::from_secs(2);
    let server = Faulty::with("silent", |server| server.connect_timeout(limit));
    let error = server.ready().await.unwrap_err();
    says(&error, &["did not respond to the handshake within 2s", ".connect_timeout(..)"]);
    assert!(server.host.tools().await.unwrap().is_empty());
    server.end().await;
}
