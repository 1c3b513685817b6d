//! The caller according to a token verifier, and the responses to clients without a token.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::HeaderMap;
use genkit::mcp::McpServer;
use genkit::mcp::server::{Principal, ProtectedResource, TokenError};
use genkit::{Context, ErrorKind, Genkit, Registry, tool, tools};
use serde_json::{Value, json};

use crate::http::here::{Here, Serving, calculator};
use crate::http::wire::{Answer, Wire, call, in_session, initialize};

const RESOURCE: &str = "https://mcp.example.com/mcp";

/// Tells who calls.
#[tool]
async fn me(#[arg(extension)] user: &Principal) -> String {
    format!("{} of {}", user.id(), user.claims()["tenant"].as_str().unwrap_or_default())
}

/// Tells which headers a function sees.
#[tool]
async fn headers(ctx: &Context) -> Vec<String> {
    let headers = ctx.extension::<HeaderMap>().expect("the headers");
    headers.keys().map(ToString::to_string).collect()
}

async fn verify(token: String) -> Result<Principal, TokenError> {
    match token.as_str() {
        "t-ada" => {
            Ok(Principal::new("ada").with_scopes(["read"]).with_claims([("tenant", "acme")]))
        }
        "t-bob" => {
            Ok(Principal::new("bob").with_scopes(["read"]).with_claims([("tenant", "beta")]))
        }
        "t-eve" => Ok(Principal::new("eve").with_claims([("tenant", "none")])),
        "down" => Err(TokenError::unavailable("the keys of 10.0.0.7 do not come")),
        _ => Err(TokenError::invalid("the token has expired")),
    }
}

fn server() -> McpServer {
    let registry = Registry::new().add(tools![me, headers]);
    Genkit::builder().registry(registry).build().expect("a program").serve_mcp()
}

fn resource() -> ProtectedResource {
    ProtectedResource::new(RESOURCE)
        .with_authorization_server("https://login.example.com")
        .with_scopes(["read", "write"])
        .with_required_scopes(["read"])
        .with_name("Notes")
}

fn text(answer: &Answer) -> Value {
    answer.message()["result"]["content"][0]["text"].take()
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

#[test]
fn verified_caller_is_at_hand_in_both_eras_and_the_token_is_not() {
    let here = Here::serve(server().authenticate(verify).router().unwrap());
    let wire = Wire::to(here.url());
    for (token, who) in [("t-ada", "ada of acme"), ("t-bob", "bob of beta")] {
        let token = bearer(token);
        let token = [("authorization", token.as_str())];
        let me = json!({ "name": "me", "arguments": {} });
        assert_eq!(text(&wire.ask_alone_with(&token, "tools/call", me)), who);
        let session = wire.open(&token);
        let named = [&in_session(&session)[..], &token].concat();
        assert_eq!(text(&wire.post(&named, &call("me", &json!({})))), who);
        let seen = text(&wire.post(&named, &call("headers", &json!({}))));
        let seen = seen.as_str().expect("a list").to_owned();
        assert!(seen.contains("mcp-session-id") && !seen.contains("authorization"), "{seen}");
    }
}

#[test]
fn session_belongs_to_its_caller_on_a_listening_server() {
    let serving = Serving::of(server().authenticate(verify));
    let wire = Wire::to(&serving.url());
    let (ada, bob) = (bearer("t-ada"), bearer("t-bob"));
    let session = wire.open(&[("authorization", &ada)]);
    let post = |token: &str| {
        let headers = [&in_session(&session)[..], &[("authorization", token)]].concat();
        wire.post(&headers, &call("me", &json!({})))
    };
    assert_eq!(text(&post(&ada)), "ada of acme");
    assert_eq!(post(&bob).status, 404);
    assert_eq!(post(&bearer("gone")).status, 401);
    assert_eq!(wire.post(&in_session(&session), &call("me", &json!({}))).status, 401);
}

#[test]
fn rejections_suggest_a_fix() {
    let here =
        Here::serve(server().authenticate(verify).protected_resource(resource()).router().unwrap());
    let wire = Wire::to(here.url());
    let told = |authorization: &[(&str, &str)]| {
        let answer = wire.post(authorization, &initialize());
        assert!(answer.message()["error"]["message"].is_string(), "{answer:?}");
        (answer.status, answer.header("www-authenticate").map(str::to_owned), answer.text)
    };
    let metadata =
        "resource_metadata=\"https://mcp.example.com/.well-known/oauth-protected-resource/mcp\"";
    let (status, challenge, _) = told(&[]);
    assert_eq!((status, challenge), (401, Some(format!("Bearer scope=\"read\", {metadata}"))));
    let (status, challenge, _) = told(&[("authorization", "Basic YTpi")]);
    assert_eq!((status, challenge), (401, Some(format!("Bearer scope=\"read\", {metadata}"))));
    let (status, challenge, _) = told(&[("authorization", "Bearer old")]);
    let invalid = "error=\"invalid_token\", error_description=\"the token has expired\"";
    let expected = format!("Bearer {invalid}, scope=\"read\", {metadata}");
    assert_eq!((status, challenge), (401, Some(expected)));
    let (status, challenge, _) = told(&[("authorization", "Bearer t-eve")]);
    let expected = format!("Bearer error=\"insufficient_scope\", scope=\"read\", {metadata}");
    assert_eq!((status, challenge), (403, Some(expected)));
    for malformed in ["Bearer a b", "Bearer", "Bearer \"x\""] {
        let (status, challenge, _) = told(&[("authorization", malformed)]);
        assert_eq!(status, 400, "{malformed}");
        assert!(challenge.unwrap_or_default().contains("invalid_request"), "{malformed}");
    }
    let (status, _, _) =
        told(&[("authorization", "Bearer t-ada"), ("authorization", "Bearer t-eve")]);
    assert_eq!(status, 400, "two tokens");
    let (status, challenge, text) = told(&[("authorization", "Bearer down")]);
    assert_eq!((status, challenge), (503, None));
    assert!(!text.contains("10.0.0.7"), "{text}");
}

/// RFC 6750 also allows tokens in URLs and forms, which MCP forbids.
#[test]
fn token_in_the_url_is_ignored() {
    let serving = Serving::of(server().authenticate(verify));
    let wire = Wire::to(&format!("{}?access_token=t-ada", serving.url()));
    assert_eq!(wire.post(&[], &initialize()).status, 401);
}

#[test]
fn metadata_is_public_and_at_the_well_known_path() {
    let server = || server().authenticate(verify).protected_resource(resource());
    let listening = Serving::of(server());
    let here = Here::serve(server().router().unwrap());
    let nested = server().router().unwrap();
    let nested = Here::serve(axum::Router::new().nest("/ai", nested).merge(resource().router()));
    let page = [("origin", "https://app.elsewhere.example")];
    for url in [&listening.url(), here.url(), nested.url()] {
        let base = url.trim_end_matches("/mcp");
        let wire = Wire::to(&format!("{base}/.well-known/oauth-protected-resource/mcp"));
        let answer = wire.send("GET", &page, b"").expect("an answer");
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("*")));
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(
            answer.message(),
            json!({
                "resource": RESOURCE,
                "authorization_servers": ["https://login.example.com"],
                "scopes_supported": ["read", "write"],
                "bearer_methods_supported": ["header"],
                "resource_name": "Notes",
            })
        );
        assert_eq!(wire.send("POST", &[], b"").expect("an answer").status, 405);
        let preflight = [
            page[0],
            ("access-control-request-method", "GET"),
            ("access-control-request-headers", "x"),
        ];
        let preflight = wire.send("OPTIONS", &preflight, b"").expect("an answer");
        assert_eq!(
            (preflight.status, preflight.header("access-control-allow-headers")),
            (204, Some("*"))
        );
    }
}

#[test]
fn metadata_without_a_verifier_fails_to_start() {
    let kind = |server: McpServer| server.router().expect_err("no router").kind();
    assert_eq!(kind(server().protected_resource(resource())), ErrorKind::FailedPrecondition);
    let wrong = ProtectedResource::new("mcp.example.com");
    assert_eq!(
        kind(server().authenticate(verify).protected_resource(wrong)),
        ErrorKind::InvalidArgument
    );
    let serving = server().authenticate(verify).serve(tokio::io::empty(), tokio::io::sink());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let error = runtime.block_on(serving).expect_err("a byte stream has no tokens");
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
}

/// The verifier is called once for each request, and not if the host or the origin is refused before.
#[test]
fn rejected_requests_do_not_reach_the_verifier() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&asked);
    let server = server().authenticate(move |token: String| {
        counts.fetch_add(1, Ordering::SeqCst);
        verify(token)
    });
    let here = Here::serve(server.router().unwrap());
    // A request that is refused before its body is read has its connection closed.
    let wire = || Wire::to(here.url());
    let token = ("authorization", "Bearer t-ada");
    assert_eq!(wire().post(&[token, ("host", "evil.example")], &initialize()).status, 403);
    assert_eq!(
        wire().post(&[token, ("origin", "https://evil.example")], &initialize()).status,
        403
    );
    let long = format!("Bearer {}", "a".repeat(17 * 1024));
    assert_eq!(wire().post(&[("authorization", &long)], &initialize()).status, 400);
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(wire().post(&[token], &initialize()).status, 200);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn missing_principal_is_an_error() {
    let here = Here::serve(server().router().unwrap());
    let answer = Wire::to(here.url()).call_alone("me", &json!({}));
    let told = text(&answer);
    assert!(told.as_str().is_some_and(|told| told.contains("Principal")), "{answer:?}");
    assert_eq!(answer.message()["result"]["isError"], true);
    // A shared token does not identify a caller.
    let here = Here::serve(calculator().bearer_token("x").router().unwrap());
    let scopes = json!({ "name": "scopes", "arguments": {} });
    let answer =
        Wire::to(here.url()).ask_alone_with(&[("authorization", "Bearer x")], "tools/call", scopes);
    assert_eq!(text(&answer), "[]");
}
