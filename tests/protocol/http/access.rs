//! Access control: origins, hosts, tokens.

use serde_json::json;

use super::here::{Here, calculator};
use super::wire::{Answer, Wire, in_session, initialize};
use crate::server::Server;

fn authority(url: &str) -> &str {
    url.trim_start_matches("http://").trim_end_matches("/mcp")
}

#[test]
fn foreign_pages_are_rejected() {
    let server = Server::start("quickstart", &[]);
    let wire = Wire::to(server.url());
    let session = wire.open(&[]);
    for origin in ["https://evil.example", "http://localhost.evil.example", "null"] {
        let headers = [("origin", origin)];
        for answer in [
            wire.post(&headers, &initialize()),
            wire.send("GET", &[&in_session(&session)[..], &headers].concat(), b"")
                .expect("an answer"),
            wire.send("DELETE", &[&in_session(&session)[..], &headers].concat(), b"")
                .expect("an answer"),
        ] {
            assert_eq!(answer.status, 403, "{origin}: {answer:?}");
        }
    }
    // None of that affected the session.
    assert_eq!(wire.call(&session, "add", &json!({ "a": 1, "b": 1 })).status, 200);
}

#[test]
fn own_and_local_origins_are_allowed() {
    let server = Server::start("quickstart", &[]);
    let wire = Wire::to(server.url());
    let own = format!("http://{}", authority(server.url()));
    for origin in [own.as_str(), "http://localhost:6274", "http://127.0.0.1", "http://[::1]:5173"] {
        let answer = wire.post(&[("origin", origin)], &initialize());
        assert_eq!(answer.status, 200, "{origin}: {answer:?}");
    }
}

#[test]
fn page_that_points_its_name_at_this_machine_may_not() {
    let server = Server::start("quickstart", &[]);
    let wire = Wire::to(server.url());
    for host in ["evil.example", "evil.example:80", "localhost.evil.example"] {
        let answer = wire.post(&[("host", host)], &initialize());
        assert_eq!(answer.status, 403, "{host}: {answer:?}");
        // The error contains the host, and how to allow it.
        let name = host.trim_end_matches(":80");
        let told = answer.message()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(told.contains(&format!("`.allowed_hosts([\"{name}\"])`")), "{told}");
        // Not even if the page's origin has that name.
        let origin = format!("http://{host}");
        let answer = wire.post(&[("host", host), ("origin", &origin)], &initialize());
        assert_eq!(answer.status, 403, "{host}: {answer:?}");
    }
    for host in ["localhost", "127.0.0.1:1", "[::1]:8000"] {
        assert_eq!(wire.post(&[("host", host)], &initialize()).status, 200, "{host}");
    }
}

#[test]
fn named_hosts_and_origins_may() {
    let server = calculator()
        .allowed_hosts(["mcp.example.com"])
        .allowed_origins(["https://app.example.com"]);
    let here = Here::serve(server.router().unwrap());
    let wire = Wire::to(here.url());
    let with = |host: &str, origin: &str| {
        wire.post(&[("host", host), ("origin", origin)], &initialize()).status
    };
    assert_eq!(with("mcp.example.com", "https://app.example.com"), 200);
    assert_eq!(with("mcp.example.com", "https://mcp.example.com"), 200);
    assert_eq!(with("mcp.example.com", "https://evil.example"), 403);
    assert_eq!(with("localhost", "https://app.example.com"), 403);
}

#[test]
fn requests_without_the_token_are_rejected() {
    let here = Here::serve(calculator().bearer_token("open sesame").router().unwrap());
    let wire = Wire::to(here.url());
    let refused = |answer: Answer| {
        assert_eq!(answer.status, 401, "{answer:?}");
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        assert!(challenge.starts_with("Bearer"), "{answer:?}");
        assert!(!answer.text.contains("sesame"), "{answer:?}");
    };
    refused(wire.post(&[], &initialize()));
    refused(wire.post(&[("authorization", "Bearer open")], &initialize()));
    refused(wire.post(&[("authorization", "Basic open sesame")], &initialize()));
    refused(wire.post_raw(&[], b"no JSON"));
    refused(wire.send("GET", &[], b"").expect("an answer"));
    refused(wire.send("DELETE", &[], b"").expect("an answer"));
    refused(wire.call_alone("add", &json!({ "a": 1, "b": 1 })));
    let token = [("authorization", "Bearer open sesame")];
    let session = wire.open(&token);
    // A session is not a credential: each request needs the token.
    refused(wire.call(&session, "add", &json!({ "a": 1, "b": 1 })));
    let call = super::wire::call("add", &json!({ "a": 1, "b": 1 }));
    let answer = wire.post(&[&in_session(&session)[..], &token].concat(), &call);
    assert_eq!(answer.message()["result"]["content"][0]["text"], "2", "{answer:?}");
}
