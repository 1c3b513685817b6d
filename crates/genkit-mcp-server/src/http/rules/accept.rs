//! The `Accept` and `Content-Type` headers.

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};

/// Whether the client accepts both forms of a response, as the protocol requires.
pub(in super::super) fn accepts_answers(headers: &HeaderMap) -> bool {
    accepts_type(headers, "application/json") && accepts_events(headers)
}

/// Whether the client accepts a stream of events.
pub(in super::super) fn accepts_events(headers: &HeaderMap) -> bool {
    accepts_type(headers, "text/event-stream")
}

/// Whether the body is declared as JSON.
pub(in super::super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// Whether a media type is listed. Wildcards do not count, because the protocol requires both types by
/// name.
fn accepts_type(headers: &HeaderMap, kind: &str) -> bool {
    let named = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|list| Pieces { rest: Some(list), at: b',' }).any(|entry| {
        let mut pieces = Pieces { rest: Some(entry), at: b';' };
        let is_kind = |piece: &str| piece.trim().eq_ignore_ascii_case(kind);
        pieces.next().is_some_and(is_kind) && !pieces.any(is_never)
    })
}

/// Whether a parameter is the weight 0. An invalid weight is ignored.
fn is_never(parameter: &str) -> bool {
    let Some((name, weight)) = parameter.split_once('=') else { return false };
    let weight = weight.trim();
    let zeros = weight.strip_prefix("0.").or(weight.strip_prefix('0'));
    let is_zero = zeros.is_some_and(|rest| rest.len() <= 3 && rest.bytes().all(|it| it == b'0'));
    // `00` is not a valid weight.
    name.trim().eq_ignore_ascii_case("q") && is_zero && (weight == "0" || weight.contains('.'))
}

/// The pieces of a list, whose separators can also occur in quoted text.
struct Pieces<'a> {
    rest: Option<&'a str>,
    at: u8,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.take()?;
        let (mut quoted, mut escaped) = (false, false);
        for (place, byte) in rest.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                _ if byte == self.at && !quoted => {
                    self.rest = Some(&rest[place + 1..]);
                    return Some(&rest[..place]);
                }
                _ => {}
            }
        }
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(value: &str) -> bool {
        accepts_type(
            &HeaderMap::from_iter([(ACCEPT, value.parse().expect("a value"))]),
            "application/json",
        )
    }

    #[test]
    fn a_type_is_accepted_by_its_name() {
        for (value, taken) in [
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
            ("application/*", false),
            ("*/*", false),
            ("", false),
        ] {
            assert_eq!(takes(value), taken, "{value}");
        }
    }

    #[test]
    fn a_body_is_json_by_its_type() {
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
}
