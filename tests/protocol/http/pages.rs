//! CORS: what an allowed page may read, and preflight requests.

use super::here::{Serving, calculator};
use super::wire::{Wire, initialize};

const PAGE: &str = "https://app.example.com";

fn serving() -> Serving {
    Serving::of(calculator().allowed_origins([PAGE]).bearer_token("open sesame"))
}

#[test]
fn browser_asks_what_a_page_may_do_without_its_token() {
    let serving = serving();
    let asked = |origin| {
        let headers = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type, mcp-protocol-version"),
        ];
        Wire::to(&serving.url()).send("OPTIONS", &headers, b"").expect("an answer")
    };
    let allowed = asked(PAGE);
    assert_eq!(allowed.status, 204, "{allowed:?}");
    assert_eq!(allowed.header("access-control-allow-origin"), Some(PAGE));
    let methods = allowed.header("access-control-allow-methods").unwrap_or_default();
    assert!(["GET", "POST", "DELETE"].iter().all(|it| methods.contains(it)), "{allowed:?}");
    let headers = allowed.header("access-control-allow-headers");
    assert_eq!(headers, Some("content-type, mcp-protocol-version"));
    let refused = asked("https://evil.example");
    assert_eq!(refused.status, 403);
    assert_eq!(refused.header("access-control-allow-origin"), None);
    let bare = Wire::to(&serving.url()).send("OPTIONS", &[], b"").expect("an answer");
    assert_eq!(bare.status, 401, "a client that is not a page needs the token");
}

#[test]
fn page_that_is_let_in_reads_answers_and_rejections() {
    let serving = serving();
    let wire = Wire::to(&serving.url());
    let token = ("authorization", "Bearer open sesame");
    let opened = wire.post(&[("origin", PAGE), token], &initialize());
    let exposed = opened.header("access-control-expose-headers").unwrap_or_default();
    assert_eq!((opened.status, exposed), (200, "mcp-session-id, www-authenticate"), "{opened:?}");
    for answer in [opened, wire.post(&[("origin", PAGE)], &initialize())] {
        assert_eq!(answer.header("access-control-allow-origin"), Some(PAGE), "{answer:?}");
        assert_eq!(answer.header("vary"), Some("origin"));
    }
    let alone = wire.post(&[token], &initialize());
    assert_eq!(alone.header("access-control-allow-origin"), None);
    let insecure = wire.post(&[("origin", "http://app.example.com"), token], &initialize());
    assert_eq!(insecure.status, 403, "{insecure:?}");
}

#[test]
fn empty_host_list_rejects_every_request() {
    let serving = Serving::of(calculator().allowed_hosts(Vec::<String>::new()));
    let refused = Wire::to(&serving.url()).post(&[], &initialize());
    assert_eq!(refused.status, 403, "{refused:?}");
}

#[test]
fn unsupported_method_lists_allowed_methods() {
    let serving = Serving::of(calculator());
    let stateless = Serving::of(calculator().stateless(true));
    for (serving, methods, allowed) in [
        (&serving, &["PUT", "OPTIONS", "PATCH", "HEAD"][..], "GET, POST, DELETE"),
        (&stateless, &["PUT", "GET", "DELETE", "HEAD"], "POST"),
    ] {
        for method in methods {
            let answer = Wire::to(&serving.url()).send(method, &[], b"").expect("an answer");
            assert_eq!((answer.status, answer.header("allow")), (405, Some(allowed)), "{method}");
        }
    }
}
