//! The endpoint in an app with other routes.

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::middleware::{self, Next};
use axum::routing::get;
use axum::{Extension, Router};
use genkit::mcp::server::Principal;
use serde_json::json;

use super::here::{Caller, Here, calculator};
use super::wire::Wire;

#[test]
fn layer_extensions_are_available_in_functions() {
    let app = calculator().router().unwrap().layer(Extension(Caller("ada")));
    let here = Here::serve(app);
    let wire = Wire::to(here.url());
    let answer = wire.call_alone("whoami", &json!({}));
    assert_eq!(answer.message()["result"]["content"][0]["text"], "ada", "{answer:?}");
    let session = wire.open(&[]);
    let answer = wire.call(&session, "whoami", &json!({}));
    assert_eq!(answer.message()["result"]["content"][0]["text"], "ada", "{answer:?}");
}

#[test]
fn layer_extensions_override_server_extensions() {
    let server = || calculator().extension(Caller("the owner")).router().unwrap();
    let layered = server().layer(Extension(Caller("ada")));
    for (app, caller) in [(server(), "the owner"), (layered, "ada")] {
        let here = Here::serve(app);
        let answer = Wire::to(here.url()).call_alone("whoami", &json!({}));
        assert_eq!(answer.message()["result"]["content"][0]["text"], caller, "{answer:?}");
    }
}

#[test]
fn function_reads_the_scopes_of_its_caller() {
    let ada = Principal::new("ada").with_scopes(["notes:read"]);
    let here = Here::serve(calculator().router().unwrap().layer(Extension(ada)));
    let wire = Wire::to(here.url());
    let session = wire.open(&[]);
    for answer in [wire.call_alone("scopes", &json!({})), wire.call(&session, "scopes", &json!({}))]
    {
        let text = answer.message()["result"]["content"][0]["text"].take();
        assert_eq!(text, r#"["notes:read"]"#, "{answer:?}");
    }
}

/// The caller is determined for each request, not for the one that opened the session.
#[test]
fn each_request_of_a_session_has_its_own_caller() {
    async fn name(
        headers: HeaderMap,
        mut request: Request,
        next: Next,
    ) -> axum::response::Response {
        let caller = if headers.contains_key("x-grace") { "grace" } else { "ada" };
        request.extensions_mut().insert(Caller(caller));
        next.run(request).await
    }
    let here = Here::serve(calculator().router().unwrap().layer(middleware::from_fn(name)));
    let wire = Wire::to(here.url());
    let session = wire.open(&[]);
    let whoami = super::wire::call("whoami", &json!({}));
    for (header, caller) in [("x-other", "ada"), ("x-grace", "grace"), ("x-other", "ada")] {
        let headers = [&super::wire::in_session(&session)[..], &[(header, "1")]].concat();
        let answer = wire.post(&headers, &whoami);
        assert_eq!(answer.message()["result"]["content"][0]["text"], caller, "{answer:?}");
    }
}

#[test]
fn router_can_be_nested_next_to_other_routes() {
    let app = Router::new()
        .route("/health", get(|| async { "well" }))
        .nest("/ai", calculator().router().unwrap());
    let here = Here::serve(app);
    let base = here.url().trim_end_matches("/mcp");
    let health = Wire::to(&format!("{base}/health")).send("GET", &[], b"").expect("an answer");
    assert_eq!((health.status, health.text.as_str()), (200, "well"));
    let wire = Wire::to(&format!("{base}/ai/mcp"));
    let answer = wire.call_alone("add", &json!({ "a": 2, "b": 40 }));
    assert_eq!(answer.message()["result"]["content"][0]["text"], "42", "{answer:?}");
    assert_eq!(Wire::to(here.url()).send("GET", &[], b"").expect("an answer").status, 404);
}
