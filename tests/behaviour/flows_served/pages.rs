//! Web pages: `Origin`, `Host`, CORS.

use genkit::{flow, flows};
use serde_json::json;

use super::{Listening, Sent, post, serving};

/// Does nothing.
#[flow]
async fn unit() {}

#[tokio::test]
async fn only_allowed_origins_can_call_and_read() {
    let server = Listening::start(serving(flows![unit]).cors(["https://app.example"])).await;
    let own = format!("http://{}", server.address);
    for (origin, may) in [
        ("https://app.example", true),
        ("http://localhost:5173", true),
        (own.as_str(), true),
        ("https://evil.example", false),
        ("null", false),
    ] {
        let answer = server.send(post("/unit", &json!({})).header("origin", origin)).await;
        assert_eq!(answer.status, if may { 200 } else { 403 }, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), may.then_some(origin), "{origin}");
        let exposed = answer.header("access-control-expose-headers");
        let ids = "x-genkit-stream-id, x-genkit-trace-id, x-genkit-span-id";
        assert_eq!(exposed, may.then_some(ids), "{origin}");
        assert_eq!(answer.header("vary"), may.then_some("origin"), "{origin}");
    }
    let errors =
        server.send(post("/nope", &json!({})).header("origin", "https://app.example")).await;
    assert_eq!(errors.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(
        server.send(post("/unit", &json!({}))).await.header("access-control-allow-origin"),
        None
    );
}

#[tokio::test]
async fn preflight_request_is_answered() {
    for (cors, allowed) in [("https://app.example", "https://app.example"), ("*", "*")] {
        let server = Listening::start(serving(flows![unit]).cors([cors])).await;
        let asked = Sent::new("OPTIONS", "/unit")
            .header("origin", "https://app.example")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization, x-own");
        let answer = server.send(asked).await;
        assert_eq!((answer.status, answer.body.len()), (204, 0));
        for (name, value) in [
            ("access-control-allow-origin", allowed),
            ("access-control-allow-methods", "POST, OPTIONS"),
            ("access-control-allow-headers", "authorization, x-own"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{cors}");
        }
    }
}

#[tokio::test]
async fn loopback_server_accepts_only_loopback_hosts_by_default() {
    let server = Listening::start(serving(flows![unit])).await;
    let named = Listening::start(serving(flows![unit]).allowed_hosts(["flows.example"])).await;
    for (host, by_default, by_name) in [
        ("localhost:1", 200, 403),
        ("127.0.0.1", 200, 403),
        ("flows.example", 403, 200),
        ("evil.example", 403, 403),
        ("a b", 400, 400),
    ] {
        let sent = post("/unit", &json!({})).header("host", host);
        assert_eq!(server.send(sent.clone()).await.status, by_default, "{host}");
        assert_eq!(named.send(sent).await.status, by_name, "{host}");
    }
}
