//! Sessions belong to the caller that opened them, not to any caller that knows their ids.

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::middleware::{self, Next};
use genkit::mcp::server::{MemorySessions, Principal};
use serde_json::json;

use crate::http::here::{Here, Serving, calculator};
use crate::http::wire::{Wire, call, in_session};

/// Trusts the name that the caller claims.
async fn believe(headers: HeaderMap, mut request: Request, next: Next) -> axum::response::Response {
    if let Some(who) = headers.get("x-who").and_then(|who| who.to_str().ok()) {
        request.extensions_mut().insert(Principal::new(who));
    }
    next.run(request).await
}

#[test]
fn session_is_not_found_by_others() {
    let app = calculator().router().unwrap().layer(middleware::from_fn(believe));
    let here = Here::serve(app);
    let wire = Wire::to(here.url());
    let session = wire.open(&[("x-who", "ada")]);
    let add = call("add", &json!({ "a": 1, "b": 1 }));
    let named = in_session(&session);
    let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    for others in [&[("x-who", "grace")][..], &[]] {
        let headers = [&named[..], others].concat();
        assert_eq!(wire.post(&headers, &add).status, 404);
        assert_eq!(wire.post(&headers, &answer).status, 404);
        assert_eq!(wire.send("DELETE", &headers, b"").expect("an answer").status, 404);
        let accept = [("accept", "text/event-stream"), ("last-event-id", "1-0")];
        let headers = [&headers[..], &accept].concat();
        assert_eq!(wire.send("GET", &headers, b"").expect("an answer").status, 404);
    }
    let headers = [&named[..], &[("x-who", "ada")]].concat();
    assert_eq!(wire.post(&headers, &add).status, 200);
}

#[test]
fn stored_session_survives_a_restart_for_its_owner_only() {
    let sessions = MemorySessions::new();
    let serve = || {
        let server = calculator().session_store(sessions.clone());
        Here::serve(server.router().unwrap().layer(middleware::from_fn(believe)))
    };
    let ada = [("x-who", "ada")];
    let first = serve();
    let session = Wire::to(first.url()).open(&ada);
    drop(first);
    let second = serve();
    let wire = Wire::to(second.url());
    let add = call("add", &json!({ "a": 2, "b": 40 }));
    let named = in_session(&session);
    assert_eq!(wire.post(&[&named[..], &[("x-who", "grace")]].concat(), &add).status, 404);
    let answer = wire.post(&[&named[..], &ada].concat(), &add);
    assert_eq!(answer.message()["result"]["content"][0]["text"], "42", "{answer:?}");
    let ended = wire.send("DELETE", &[&named[..], &ada].concat(), b"").expect("an answer");
    assert_eq!(ended.status, 204);
    drop(second);
    let third = serve();
    let gone = Wire::to(third.url()).post(&[&named[..], &ada].concat(), &add);
    assert_eq!(gone.status, 404, "an ended session does not come back");
}

#[test]
fn without_a_store_a_restart_ends_sessions() {
    let session = Wire::to(&Serving::of(calculator()).url()).open(&[]);
    let again = Serving::of(calculator());
    let call = Wire::to(&again.url()).call(&session, "add", &json!({ "a": 1, "b": 1 }));
    assert_eq!(call.status, 404);
}

/// regardless of the spelling of the method.
#[test]
fn session_limit_evicts_the_longest_idle_session() {
    let serving = Serving::of(calculator().max_sessions(20));
    let wire = Wire::to(&serving.url());
    let own = wire.open(&[]);
    let spelled =
        crate::http::wire::initialize().to_string().replace("initialize", "\\u0069nitialize");
    let mut ids = Vec::new();
    for _ in 0..100 {
        let opened = wire.post_raw(&[], spelled.as_bytes());
        assert_eq!(opened.status, 200, "{opened:?}");
        ids.push(opened.header("mcp-session-id").expect("a session").to_owned());
    }
    let add = json!({ "a": 1, "b": 1 });
    let open = ids.iter().filter(|id| wire.call(id, "add", &add).status == 200).count();
    assert_eq!(open, 19);
    assert_eq!(wire.call(&own, "add", &add).status, 200, "who was made ready stays");
}

#[test]
fn requests_without_a_session_are_not_counted() {
    let serving = Serving::of(calculator().max_sessions(2));
    let wire = Wire::to(&serving.url());
    let own = wire.open(&[]);
    for params in [json!({}), json!({ "protocolVersion": 5 }), json!([])] {
        let refused = wire.post(
            &[],
            &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        );
        assert!(refused.header("mcp-session-id").is_none(), "{refused:?}");
        assert!(refused.message()["error"]["code"].is_number(), "{refused:?}");
    }
    assert_eq!(wire.call(&own, "add", &json!({ "a": 1, "b": 1 })).status, 200);
}
