//! Health and readiness, as requested by probes: without a token, a session or an allowed host.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use genkit::ErrorKind;
use genkit::mcp::McpHost;
use genkit::mcp::host::ServerConfig;
use serde_json::{Value, json};

use super::super::here::{Here, Serving, calculator};
use super::super::wire::{Answer, Wire};

fn ask(origin: &str, path: &str) -> Answer {
    let probe = [("host", "10.1.2.3:8000")];
    Wire::to(&format!("{origin}{path}")).send("GET", &probe, b"").expect("an answer")
}

fn body(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{answer:?}"))
}

/// Polls until the server behind has started, or is known to be missing.
fn settled(origin: &str, wanted: u16) -> Answer {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let answer = ask(origin, "/health/ready");
        if answer.status == wanted || Instant::now() > deadline {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn probe_needs_nothing() {
    let serving = Serving::of(calculator().bearer_token("secret").health("/health"));
    let origin = format!("http://{}", serving.address());
    for path in ["/health", "/health/ready"] {
        let answer = ask(&origin, path);
        assert_eq!((answer.status, body(&answer)), (200, json!({"status": "ok"})), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let wire = Wire::to(&format!("{origin}{path}"));
        assert_eq!(wire.send("POST", &[], b"{}").expect("an answer").status, 405);
    }
    // The server itself is as protected as before, and so is every other path.
    assert_eq!(ask(&origin, "/mcp").status, 403);
    assert_eq!(ask(&origin, "/healthy").status, 404);
    let plain = Serving::of(calculator());
    assert_eq!(ask(&format!("http://{}", plain.address()), "/health").status, 404);
}

#[test]
fn router_has_the_routes_too() {
    let here = Here::serve(calculator().health("/live").router().unwrap());
    let origin = here.url().trim_end_matches("/mcp").to_owned();
    assert_eq!(ask(&origin, "/live").status, 200);
    assert_eq!(ask(&origin, "/live/ready").status, 200);
}

#[test]
fn readiness_is_polled_once_per_second() {
    let (holds, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let (held, counted) = (Arc::clone(&holds), Arc::clone(&asked));
    let server = calculator().health("/health").ready_when(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        let holds = held.load(Ordering::SeqCst);
        async move { if holds { Ok(()) } else { Err(io::Error::other("db.internal:5432 is down")) } }
    });
    let serving = Serving::of(server);
    let origin = format!("http://{}", serving.address());
    for _ in 0..20 {
        let answer = ask(&origin, "/health/ready");
        let expected = json!({"status": "unavailable", "why": ["a check failed"]});
        assert_eq!((answer.status, body(&answer)), (503, expected));
    }
    assert!(asked.load(Ordering::SeqCst) < 20, "each probe causes work");
    // The server is alive nevertheless.
    assert_eq!(ask(&origin, "/health").status, 200);
    holds.store(true, Ordering::SeqCst);
    assert_eq!(settled(&origin, 200).status, 200);
}

#[test]
fn server_is_ready_once_an_upstream_is_connected() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _inside = runtime.enter();
    let host = McpHost::builder()
        .server("sums", ServerConfig::in_process(calculator))
        .server("off", ServerConfig::stdio("no-such-program").disabled(true))
        .build()
        .unwrap();
    let serving = Serving::of(calculator().health("/health").host(&host));
    let answer = settled(&format!("http://{}", serving.address()), 200);
    let servers = json!({"connected": 1, "of": 1});
    assert_eq!(body(&answer), json!({"status": "ok", "servers": servers}));
    runtime.block_on(host.close());
}

#[test]
fn server_is_not_ready_without_an_upstream() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _inside = runtime.enter();
    let host = McpHost::builder();
    let host = host.server("gone", ServerConfig::stdio("genkit-no-such-program")).build().unwrap();
    let here = {
        let router = calculator().health("/health").host(&host).router().unwrap();
        Here::serve(router)
    };
    let origin = here.url().trim_end_matches("/mcp").to_owned();
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let answer = ask(&origin, "/health/ready");
        assert_eq!(answer.status, 503);
        let told = body(&answer);
        assert!(!told.to_string().contains("gone"), "names are not public: {told}");
        if told["why"] == json!(["no server behind this one is connected"]) {
            break;
        }
        assert!(Instant::now() < deadline, "{told}");
        std::thread::sleep(Duration::from_millis(20));
    }
    runtime.block_on(host.close());
}

#[test]
fn invalid_health_path_is_an_error() {
    for path in ["", "/", "health", "/mcp", "/mcp/health", "/{x}", "/a b"] {
        let error = calculator().health(path).router().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{path}");
        assert!(error.to_string().contains("`/health`"), "{error}");
    }
}
