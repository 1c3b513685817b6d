//! Tokens of a real authorization server, valid and invalid ones, as bytes on the wire.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::provider::{Provider, get};
use super::resource::Resource;
use crate::http::wire::{Answer, Wire};

/// The time until a new key is accepted. Untrusted clients can also refer to unknown keys, so lookups are limited.
const PATIENCE: Duration = Duration::from_secs(60);

fn call(resource: &Resource, token: &str, tool: &str) -> Answer {
    let token = format!("Bearer {token}");
    let params = json!({ "name": tool, "arguments": {} });
    Wire::to(&resource.url()).ask_alone_with(&[("authorization", &token)], "tools/call", params)
}

fn challenge(answer: &Answer) -> &str {
    answer.header("www-authenticate").unwrap_or_default()
}

#[test]
fn token_grants_its_scopes_only_at_its_resource() {
    let provider = Provider::start();
    let (notes, other) = (Resource::serve(&provider), Resource::serve(&provider));
    let token = provider.token(&notes.url(), "notes:read notes:write");
    let answer = call(&notes, &token, "whoami");
    let said = answer.message()["result"]["content"][0]["text"].take();
    assert_eq!(said, "robot may notes:read notes:write", "{answer:?}");
    // Replayed at another resource of the same issuer.
    let replayed = call(&other, &token, "whoami");
    assert_eq!(replayed.status, 401, "{replayed:?}");
    assert!(challenge(&replayed).contains("error=\"invalid_token\""), "{replayed:?}");
    assert!(challenge(&replayed).contains("the token has the wrong audience"), "{replayed:?}");
    // Without the scope that every request needs.
    let narrow = call(&notes, &provider.token(&notes.url(), "notes:write"), "write");
    assert_eq!(narrow.status, 403, "{narrow:?}");
    assert!(challenge(&narrow).contains("error=\"insufficient_scope\", scope=\"notes:read\""));
    // Without the scope of one tool, which is then hidden.
    let hidden = call(&notes, &provider.token(&notes.url(), "notes:read"), "write");
    assert!(hidden.message()["error"]["message"].is_string(), "{hidden:?}");
    assert!(!hidden.text.contains("written"), "{hidden:?}");
}

#[test]
fn keys_that_are_rotated_are_found_and_those_that_went_are_not_believed() {
    let provider = Provider::start();
    let resource = Resource::serve(&provider);
    let old = provider.token(&resource.url(), "notes:read");
    assert_eq!(call(&resource, &old, "whoami").status, 200);
    provider.rotate();
    let new = provider.token(&resource.url(), "notes:read");
    let begun = Instant::now();
    while call(&resource, &new, "whoami").status != 200 {
        assert!(begun.elapsed() < PATIENCE, "the new key is not found");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(call(&resource, &old, "whoami").status, 401);
}

#[test]
fn challenge_leads_to_the_issuer() {
    let provider = Provider::start();
    let resource = Resource::serve(&provider);
    let refused = Wire::to(&resource.url()).ask_alone("tools/list", json!({}));
    assert_eq!(refused.status, 401);
    let challenge = challenge(&refused).to_owned();
    let (_, rest) = challenge.split_once("resource_metadata=\"").expect("its metadata");
    let metadata = rest.split('"').next().expect("an address");
    let metadata: Value = serde_json::from_str(&get(metadata, &[])).expect("a document");
    assert_eq!(metadata["resource"], resource.url());
    assert_eq!(metadata["authorization_servers"], json!([provider.issuer()]));
    let server = format!("{}/.well-known/openid-configuration", provider.issuer());
    let server: Value = serde_json::from_str(&get(&server, &[])).expect("a document");
    assert_eq!(server["issuer"], provider.issuer());
}
