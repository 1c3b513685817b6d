use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use genkit_http_server::internal::*;

fn accepts_json(value: &str) -> bool {
    let headers = HeaderMap::from_iter([(ACCEPT, value.parse().expect("a value"))]);
    accepts_type(&headers, "application/json")
}

#[test]
fn media_ranges_decide_by_precision_and_weight() {
    for (value, accepted) in [
        ("application/json", true),
        ("APPLICATION/JSON;q=0.1", true),
        ("text/html, application/json ;charset=utf-8;q=1.000", true),
        (r#"text/x;a=",application/json,""#, false),
        (r#"text/x;a="\",", application/json"#, true),
        ("application/json;q=0", false),
        ("application/json; Q = 0.000", false),
        ("application/json;q=0.001", true),
        ("application/json;q=0.0000", true),
        ("application/json;q=no", true),
        ("application/jsonl", false),
        ("application/*", true),
        ("Application/*;q=0", false),
        ("*/*", true),
        ("*", true),
        ("text/*", false),
        ("*/*, application/json;q=0", false),
        ("application/json;q=0, */*", false),
        ("application/json, */*;q=0", true),
        ("application/*;q=0, */*", false),
        ("", true),
        (" , ", true),
    ] {
        assert_eq!(accepts_json(value), accepted, "{value}");
    }
    assert!(accepts_type(&HeaderMap::new(), "application/json"));
}

#[test]
fn content_encoding_is_named_unless_it_is_identity() {
    for (value, encoding) in
        [("gzip", Some("gzip")), ("identity", None), ("", None), ("br, GZIP", Some("br, GZIP"))]
    {
        let headers = HeaderMap::from_iter([(CONTENT_ENCODING, value.parse().expect("a value"))]);
        assert_eq!(content_encoding(&headers).as_deref(), encoding, "{value}");
    }
    assert_eq!(content_encoding(&HeaderMap::new()), None);
}

#[test]
fn body_is_json_by_its_type() {
    for (value, json) in [
        ("application/json", true),
        ("Application/JSON; charset=utf-8", true),
        ("application/json-patch", false),
        ("text/plain", false),
    ] {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, value.parse().expect("a value"))]);
        assert_eq!(is_json(&headers), json, "{value}");
    }
    assert!(!is_json(&HeaderMap::new()));
}
