//! Parses the HTTP request for a flow.

use std::fmt;

use axum::http::{HeaderMap, Uri};
use genkit_core::internal::bounded_json::{BoundedValue, ValueBudget, check_numbers};
use genkit_http_server::internal::accepted_weight;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::error::Error as E;
use crate::STREAM_ID;

/// The parameters of a request in its headers and query.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FlowQuery {
    /// Whether the client requests a stream.
    pub(super) stream: bool,
    /// The number of chunks to skip in a resumed stream.
    pub(super) from: usize,
    /// The id of the stream to resume.
    pub(super) stream_id: Option<String>,
}

impl FlowQuery {
    pub(super) fn read(headers: &HeaderMap, uri: &Uri) -> Result<Self, E> {
        let mut query = Self { stream: accepts_events(headers), from: 0, stream_id: None };
        for pair in uri.query().unwrap_or_default().split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "stream" => {
                    let is_true = parse_boolean(value)
                        .ok_or(E::Query { name: "stream", expected: "`true` or `false`" })?;
                    query.stream |= is_true;
                }
                "from" => {
                    let wrong = |_| E::Query { name: "from", expected: "a number of chunks" };
                    query.from = value.parse().map_err(wrong)?;
                }
                _ => {}
            }
        }
        let id = headers.get(STREAM_ID).filter(|_| query.stream);
        query.stream_id = id.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
        Ok(query)
    }
}

/// Returns whether the client requests an event stream explicitly, as Genkit's clients do, or accepts no other type.
/// A range such as `*/*` means JSON.
fn accepts_events(headers: &HeaderMap) -> bool {
    let (precision, events) = accepted_weight(headers, "text/event-stream");
    let (_, json) = accepted_weight(headers, "application/json");
    events > 0 && (precision == 2 || json == 0)
}

/// Parses a boolean as Go does.
fn parse_boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Returns the input of a flow from the body of its request. The input is null if the body is empty.
pub(super) fn parse_input(body: &[u8]) -> Result<Value, E> {
    if body.trim_ascii().is_empty() {
        return Ok(Value::Null);
    }
    check_numbers(body).map_err(|error| E::NotJson(error.to_string()))?;
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let read = FlowBody::deserialize(&mut deserializer);
    let read = read.and_then(|body| deserializer.end().map(|()| body.data));
    read.map_err(|error| E::NotJson(error.to_string()))
}

/// The body `{"data": ..}`. Other members are ignored.
struct FlowBody {
    data: Value,
}

impl<'de> Deserialize<'de> for FlowBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A derived implementation would also accept a list.
        deserializer.deserialize_map(FlowBodyVisitor)
    }
}

struct FlowBodyVisitor;

impl<'de> Visitor<'de> for FlowBodyVisitor {
    type Value = FlowBody;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object like {\"data\": input}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FlowBody, A::Error> {
        let mut data = None;
        while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            match &*key {
                "data" if data.is_some() => return Err(A::Error::duplicate_field("data")),
                "data" => data = Some(map.next_value_seed(BoundedValue(&ValueBudget::default()))?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(FlowBody { data: data.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::ACCEPT;
    use serde_json::json;

    use super::*;

    fn query(accept: &str, uri: &str) -> Result<FlowQuery, E> {
        let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
        FlowQuery::read(&headers, &uri.parse().unwrap())
    }

    #[test]
    fn a_stream_is_asked_for_in_two_ways() {
        for (accept, uri, stream) in [
            ("*/*", "/f", false),
            ("TEXT/event-stream", "/f", true),
            ("a/b, text/event-stream;q=0.1", "/f?stream=false", true),
            ("text/*", "/f", true),
            ("application/json, text/event-stream", "/f", true),
            ("application/json, text/event-stream;q=0.5", "/f", true),
            ("application/json, text/event-stream; q=0", "/f", false),
            ("application/json", "/f", false),
            ("x/text/event-stream", "/f", false),
            ("*/*", "/f?x=1&stream=true", true),
            ("*/*", "/f?stream=1", true),
            ("*/*", "/f?stream=F", false),
        ] {
            assert_eq!(query(accept, uri).unwrap().stream, stream, "{accept} {uri}");
        }
        for uri in ["/f?stream=yes", "/f?stream", "/f?from=-1", "/f?from=x", "/f?from="] {
            assert!(query("*/*", uri).is_err(), "{uri}");
        }
    }

    #[test]
    fn data_is_read_once_and_within_one_budget() {
        let zeros = vec!["0"; 150_000].join(",");
        let twice = format!(r#"{{"data":[{zeros}],"data":[{zeros}]}}"#);
        let error = parse_input(twice.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("duplicate field `data`"), "{error}");
        let large = format!(r#"{{"data":[{zeros},{zeros}]}}"#);
        assert!(parse_input(large.as_bytes()).unwrap_err().to_string().contains("200000 values"));
    }

    #[test]
    fn stream_id_is_ignored_for_plain_requests() {
        let name = axum::http::HeaderName::from_static(STREAM_ID);
        let headers = HeaderMap::from_iter([(name, "7".parse().unwrap())]);
        let read = |uri: &str| FlowQuery::read(&headers, &uri.parse().unwrap()).unwrap();
        assert_eq!(read("/f").stream_id, None);
        assert_eq!(read("/f?stream=true&from=3").stream_id.as_deref(), Some("7"));
        assert_eq!(read("/f?stream=true&from=3").from, 3);
    }

    #[test]
    fn the_body_is_an_object() {
        for (body, input) in [
            ("", Value::Null),
            (" \n", Value::Null),
            ("{}", Value::Null),
            (r#"{"data":null}"#, Value::Null),
            (r#"{"init":{"data":1},"data":[1],"x":2}"#, json!([1])),
            (r#"{"d\u0061ta":"a"}"#, json!("a")),
        ] {
            assert_eq!(parse_input(body.as_bytes()).unwrap(), input, "{body}");
        }
        let deep = format!("{{\"data\":{}", "[".repeat(100_000));
        for body in [
            r#"{"data":18446744073709551616}"#,
            "[1]",
            "1",
            "null",
            "{bad",
            r#"{"data":1} x"#,
            "\u{feff}{}",
            &deep,
        ] {
            assert!(parse_input(body.as_bytes()).is_err(), "{body}");
        }
    }
}
