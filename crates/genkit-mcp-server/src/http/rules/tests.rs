use http::{HeaderName, HeaderValue};
use serde_json::json;

use super::*;

const META: &str = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let pairs = pairs.iter().map(|(name, value)| {
        (name.parse::<HeaderName>().unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap())
    });
    pairs.collect()
}

fn rules(pairs: &[(&str, &str)], method: &str, params: &str) -> Result<Rules, HeaderError> {
    let params = ParamsOutline::parse_params(Some(params));
    find_rules(
        &headers(pairs),
        RequestOutline { method: Some(method), is_request: true, params: &params },
    )
}

fn standard(pairs: &[(&str, &str)], method: &str, params: &str) -> Result<(), HeaderError> {
    let params = ParamsOutline::parse_params(Some(params));
    let schema = json!({ "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "deep": { "properties": { "n": { "type": "integer", "x-mcp-header": "N" } } },
    } });
    let found = |_: &str| header_parameters(schema.as_object().unwrap());
    let asked = RequestOutline { method: Some(method), is_request: true, params: &params };
    let all = [&[("mcp-protocol-version", "2026-07-28")], pairs].concat();
    check_standard(&headers(&all), asked, found)
}

#[test]
fn request_without_version_header_uses_an_older_protocol() {
    assert_eq!(rules(&[], "ping", "{}"), Ok(Rules::Handshake(ProtocolVersion::V_2025_03_26)));
    let named = rules(&[(VERSION, "2025-11-25")], "ping", "{}");
    assert_eq!(named, Ok(Rules::Handshake(ProtocolVersion::V_2025_11_25)));
    let unknown = rules(&[(VERSION, "1999-01-01")], "ping", "{}");
    assert_eq!(unknown, Err(HeaderError::UnknownVersion("1999-01-01".to_owned())));
    assert_eq!(rules(&[(VERSION, "\u{fc}")], "ping", "{}"), Err(HeaderError::VersionText));
    let twice = [(VERSION, "2025-11-25"), (VERSION, "2026-07-28")];
    assert_eq!(rules(&twice, "ping", "{}"), Err(HeaderError::VersionText));
}

#[test]
fn self_contained_request_must_match_its_headers() {
    assert_eq!(rules(&[(VERSION, "2026-07-28")], "tools/list", META), Ok(Rules::Described));
    assert_eq!(rules(&[], "tools/list", META), Err(HeaderError::MissingVersion));
    let other = rules(&[(VERSION, "2025-11-25")], "tools/list", META);
    assert!(matches!(other, Err(HeaderError::Version { .. })), "{other:?}");
    // The engine rejects unknown versions, and lists the supported ones.
    let unknown = META.replace("2026-07-28", "2099-01-01");
    assert_eq!(rules(&[(VERSION, "2099-01-01")], "tools/list", &unknown), Ok(Rules::Described));
}

#[test]
fn incomplete_meta_is_rejected() {
    for (headers, method, params) in [
        (&[(VERSION, "2026-07-28")][..], "tools/list", "{}"),
        (&[], "server/discover", "{}"),
        (&[(VERSION, "2025-11-25")], "server/discover", "{}"),
        (
            &[(VERSION, "2026-07-28")],
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}"#,
        ),
    ] {
        let refused = rules(headers, method, params);
        assert!(matches!(refused, Err(HeaderError::Undescribed(_))), "{params}: {refused:?}");
    }
}

#[test]
fn initialize_follows_the_handshake_rules_for_any_version() {
    for version in ["2025-11-25", "2026-07-28", "1999-01-01"] {
        let params = format!(r#"{{"protocolVersion":"{version}"}}"#);
        let found = rules(&[], "initialize", &params);
        assert!(matches!(found, Ok(Rules::Handshake(_))), "{version}: {found:?}");
    }
    // The newer protocol, which the headers and `_meta` declare, does not have this method.
    let newer = [(VERSION, "2026-07-28")];
    assert_eq!(rules(&newer, "initialize", META), Ok(Rules::Described));
    let both = META.replacen('{', r#"{"protocolVersion":"2025-11-25","#, 1);
    assert_eq!(rules(&newer, "initialize", &both), Ok(Rules::Described));
    let bare = rules(&newer, "initialize", "{}");
    assert!(matches!(bare, Err(HeaderError::Undescribed(_))), "{bare:?}");
    let params = r#"{"protocolVersion":"2025-06-18"}"#;
    assert!(matches!(rules(&newer, "initialize", params), Err(HeaderError::Handshake { .. })));
    let other = rules(&[(VERSION, "2025-11-25")], "initialize", params);
    assert!(matches!(other, Err(HeaderError::Handshake { .. })), "{other:?}");
}

#[test]
fn notification_is_handled_by_its_protocol_version_header() {
    let params = ParamsOutline::default();
    let of = |version: &str| {
        let asked =
            RequestOutline { method: Some("notifications/x"), is_request: false, params: &params };
        find_rules(&headers(&[(VERSION, version)]), asked)
    };
    assert_eq!(of("2026-07-28"), Ok(Rules::Described));
    assert_eq!(of("2025-06-18"), Ok(Rules::Handshake(ProtocolVersion::V_2025_06_18)));
}

#[test]
fn method_and_name_are_repeated_in_headers() {
    let params = r#"{"name":"add"}"#;
    let method = ("mcp-method", "tools/call");
    assert_eq!(standard(&[method, ("mcp-name", "add")], "tools/call", params), Ok(()));
    assert_eq!(standard(&[method, ("mcp-name", "=?base64?YWRk?=")], "tools/call", params), Ok(()));
    for wrong in [
        &[][..],
        &[method],
        &[("mcp-name", "add")],
        &[("mcp-method", "tools/list"), ("mcp-name", "add")],
        &[("mcp-method", "TOOLS/CALL"), ("mcp-name", "add")],
        &[method, method, ("mcp-name", "add")],
        &[method, ("mcp-name", "sub")],
        &[method, ("mcp-name", "add"), ("mcp-name", "add")],
        &[method, ("mcp-name", "\u{e4}dd")],
        &[method, ("mcp-name", "=?base64?!?=")],
    ] {
        let refused = standard(wrong, "tools/call", params).expect_err("refused");
        assert_eq!(refused.error().code, ErrorCode::HEADER_MISMATCH, "{wrong:?}: {refused}");
    }
    let spelled = r#"{"n\u0061me":"add"}"#;
    assert!(standard(&[method, ("mcp-name", "sub")], "tools/call", spelled).is_err());
    assert_eq!(standard(&[("mcp-method", "tools/list")], "tools/list", "{}"), Ok(()));
}

#[test]
fn handshake_may_leave_them_out_but_not_contradict_them() {
    assert_eq!(standard(&[], "initialize", "{}"), Ok(()));
    assert_eq!(standard(&[("mcp-method", "initialize")], "initialize", "{}"), Ok(()));
    assert!(standard(&[("mcp-method", "tools/call")], "initialize", "{}").is_err());
    let twice = [("mcp-method", "initialize"), ("mcp-method", "initialize")];
    assert!(standard(&twice, "initialize", "{}").is_err());
}

#[test]
fn annotated_arguments_are_repeated_in_headers() {
    let call = |more: &[(&str, &str)], arguments: &str| {
        let params = format!(r#"{{"name":"run","arguments":{arguments}}}"#);
        let named = [("mcp-method", "tools/call"), ("mcp-name", "run")];
        standard(&[&named[..], more].concat(), "tools/call", &params)
    };
    let region = ("mcp-param-region", "eu");
    assert_eq!(call(&[region], r#"{"region":"eu"}"#), Ok(()));
    assert_eq!(call(&[], r#"{}"#), Ok(()));
    assert_eq!(call(&[], r#"{"region":null}"#), Ok(()));
    assert_eq!(call(&[("mcp-param-n", "5")], r#"{"deep":{"n":5}}"#), Ok(()));
    for (more, arguments) in [
        (&[region][..], r#"{"region":"us"}"#),
        (&[], r#"{"region":"eu"}"#),
        (&[region], r#"{}"#),
        (&[region], r#"{"region":null}"#),
        (&[region, region], r#"{"region":"eu"}"#),
        (&[], r#"{"deep":{"n":5}}"#),
    ] {
        assert!(call(more, arguments).is_err(), "{more:?} {arguments}");
    }
}

#[test]
fn standard_headers_are_ignored_in_older_versions() {
    let params = ParamsOutline::default();
    let asked = RequestOutline { method: Some("ping"), is_request: true, params: &params };
    let wrong = headers(&[(VERSION, "2025-11-25"), ("mcp-method", "tools/call")]);
    assert_eq!(check_standard(&wrong, asked, |_| Vec::new()), Ok(()));
}
