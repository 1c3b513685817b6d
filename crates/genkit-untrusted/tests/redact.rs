//! The part of an action context that is stored.

#![allow(clippy::unwrap_used, reason = "panics report the location")]

use genkit_untrusted::redact::without_credentials;
use serde_json::json;

#[test]
fn credentials_are_removed_by_name_at_any_depth() {
    let context = json!({
        "auth": {
            "uid": "ann",
            "apiKey": "a", "api_key": "b", "accessToken": "c", "ID-Token": "d", "tokens": ["e"],
            "claims": { "sub": "ann", "iat": 1, "refresh_token": { "value": "f" } },
            "groups": [{ "name": "staff", "password": "g" }],
            "hasToken": true, "tokenCount": "2", "author": "ann", "passenger": "bob",
        },
        "clientSecret": "h",
        "secrets": { "anything": "i" },
        "tenant": "acme",
    });
    let stored = without_credentials(context.as_object().unwrap());
    assert_eq!(
        json!(stored),
        json!({
            "auth": {
                "uid": "ann",
                "claims": { "sub": "ann", "iat": 1 },
                "groups": [{ "name": "staff" }],
                "hasToken": true, "tokenCount": "2", "author": "ann", "passenger": "bob",
            },
            "tenant": "acme",
        })
    );
}
