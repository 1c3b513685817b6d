//! The data received by an OTLP receiver, as trees and points.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

type Attributes = BTreeMap<String, String>;

/// Attributes that differ from run to run.
const CHANGING: [&str; 4] =
    ["gen_ai.tool.call.id", "jsonrpc.request.id", "mcp.session.id", "server.port"];

#[derive(Debug)]
struct ReceivedSpan {
    service: String,
    name: String,
    kind: String,
    is_error: bool,
    trace: String,
    id: String,
    parent: String,
    links: usize,
    start: u64,
    attributes: Attributes,
}

/// The received data.
pub(super) struct Received {
    raw: String,
    spans: Vec<ReceivedSpan>,
    /// Metric, service, attributes of each point.
    points: Vec<(String, String, Attributes)>,
}

impl Received {
    pub(super) fn read(lines: &str) -> Self {
        let mut this = Self { raw: lines.to_owned(), spans: Vec::new(), points: Vec::new() };
        // The last line may be incomplete.
        for message in lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            for resource in list(&message["resourceSpans"]) {
                let service = service(resource);
                for scope in list(&resource["scopeSpans"]) {
                    this.spans.extend(list(&scope["spans"]).map(|span| read_span(&service, span)));
                }
            }
            for resource in list(&message["resourceMetrics"]) {
                let service = service(resource);
                for metric in list(&resource["scopeMetrics"]).flat_map(|it| list(&it["metrics"])) {
                    this.add_points(&service, metric);
                }
            }
        }
        this.spans.sort_by_key(|span| span.start);
        this
    }

    fn add_points(&mut self, service: &str, metric: &Value) {
        let name = metric["name"].as_str().unwrap_or_default();
        for kind in ["histogram", "sum", "gauge"] {
            for point in list(&metric[kind]["dataPoints"]) {
                let attributes = attributes(&point["attributes"]);
                self.points.push((name.to_owned(), service.to_owned(), attributes));
            }
        }
    }

    pub(super) fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns all spans, for a failure message.
    pub(super) fn all(&self) -> String {
        self.spans.iter().fold(String::new(), |mut all, span| {
            let _ = writeln!(all, "{span:?}");
            all
        })
    }

    pub(super) fn has_span(&self, service: &str, name: &str) -> bool {
        self.spans.iter().any(|span| span.service == service && span.name == name)
    }

    /// Returns the attributes of the points of a metric of a service.
    pub(super) fn points(&self, metric: &str, service: &str) -> Vec<&Attributes> {
        let own = self.points.iter().filter(|(name, of, _)| name == metric && of == service);
        own.map(|(.., attributes)| attributes).collect()
    }

    /// Returns the trace of the question: a line for each span with its children indented, the oldest first.
    pub(super) fn tree(&self) -> String {
        let mut out = String::new();
        for root in self.spans.iter().filter(|span| span.name.starts_with("invoke_agent")) {
            self.write(root, 0, &mut out);
        }
        out
    }

    fn write(&self, span: &ReceivedSpan, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let error = if span.is_error { " ERROR" } else { "" };
        let links = if span.links > 0 { format!(" links: {}", span.links) } else { String::new() };
        let _ =
            writeln!(out, "{indent}{} ({}, {}){error}{links}", span.name, span.service, span.kind);
        for (name, value) in &span.attributes {
            let value = if CHANGING.contains(&&**name) { "*" } else { value };
            let _ = writeln!(out, "{indent}  - {name}: {value}");
        }
        let inside = |it: &&ReceivedSpan| it.trace == span.trace && it.parent == span.id;
        for child in self.spans.iter().filter(inside) {
            self.write(child, depth + 1, out);
        }
    }
}

fn read_span(service: &str, span: &Value) -> ReceivedSpan {
    let text = |key: &str| span[key].as_str().unwrap_or_default().to_owned();
    ReceivedSpan {
        service: service.to_owned(),
        name: text("name"),
        kind: text("kind").trim_start_matches("SPAN_KIND_").to_lowercase(),
        is_error: span["status"]["code"] == "STATUS_CODE_ERROR",
        trace: text("traceId"),
        id: text("spanId"),
        parent: text("parentSpanId"),
        links: list(&span["links"]).count(),
        start: text("startTimeUnixNano").parse().unwrap_or_default(),
        attributes: attributes(&span["attributes"]),
    }
}

fn service(resource: &Value) -> String {
    attributes(&resource["resource"]["attributes"]).remove("service.name").unwrap_or_default()
}

fn attributes(list_of: &Value) -> Attributes {
    let read = |attribute: &Value| {
        let value = attribute["value"].as_object()?.values().next()?;
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some((attribute["key"].as_str()?.to_owned(), value))
    };
    list(list_of).filter_map(read).collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
