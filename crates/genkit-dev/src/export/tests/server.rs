//! A telemetry server that records requests, and the span tree built from them.

use std::cell::Cell;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::Value;

use crate::export;
use crate::export::flush;
use genkit_core::internal::sync::lock;
use genkit_core::internal::trace::{Root, under_root};

/// All requests to the server of this program.
static POSTS: LazyLock<Arc<Mutex<Vec<Value>>>> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let posts = Arc::<Mutex<Vec<Value>>>::default();
    let taken = Arc::clone(&posts);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let posts = Arc::clone(&taken);
            std::thread::spawn(move || serve(stream.unwrap(), &posts));
        }
    });
    export::export_all_to(&url);
    posts
});

thread_local! {
    static IS_ON: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread runs a test about traces.
pub(crate) fn is_on_here() -> bool {
    IS_ON.get()
}

fn serve(stream: TcpStream, posts: &Mutex<Vec<Value>>) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut line, mut length, mut first) = (String::new(), 0, String::new());
        loop {
            line.clear();
            if stream.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if first.is_empty() {
                first = line.clone();
            }
            let header = line.trim().to_ascii_lowercase();
            if let Some(given) = header.strip_prefix("content-length:") {
                length = given.trim().parse().unwrap();
            }
            if header.is_empty() {
                break;
            }
        }
        assert!(first.starts_with("POST /api/traces HTTP/1.1"), "{first}");
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        lock(posts).push(serde_json::from_slice(&body).unwrap());
        stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK").unwrap();
    }
}

/// The requests that the server received for one trace.
pub(super) struct Trace {
    pub(super) posts: Vec<Value>,
}

/// Runs `work` with traces, under its own root.
pub(super) async fn trace<T>(work: impl Future<Output = T>) -> (T, Trace) {
    trace_of(Root::new(), work).await
}

pub(super) async fn trace_of<T>(root: Root, work: impl Future<Output = T>) -> (T, Trace) {
    on();
    let id = root.trace_id.to_string();
    let given = under_root(root, work).await;
    flush().await;
    (given, Trace { posts: posts(|post| post["traceId"] == *id) })
}

/// Enables traces for this thread.
pub(super) fn on() {
    LazyLock::force(&POSTS);
    IS_ON.set(true);
}

/// Returns the requests that match `wanted`.
pub(super) fn posts(wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    lock(&POSTS).iter().filter(|post| wanted(post)).cloned().collect()
}

impl Trace {
    /// Returns the final state of the spans, in order of their start.
    pub(super) fn spans(&self) -> Vec<Value> {
        let mut spans = serde_json::Map::new();
        for post in &self.posts {
            for (id, span) in post["spans"].as_object().unwrap() {
                let known = spans.get(id).is_some_and(|known: &Value| known["endTime"] != 0.0);
                if !known {
                    spans.insert(id.clone(), span.clone());
                }
            }
        }
        let mut spans: Vec<Value> = spans.into_iter().map(|(_, span)| span).collect();
        spans.sort_by(|a, b| {
            a["startTime"].as_f64().unwrap().total_cmp(&b["startTime"].as_f64().unwrap())
        });
        spans
    }

    /// Returns the first span with this name.
    pub(super) fn span(&self, name: &str) -> Value {
        let found = self.spans().into_iter().find(|span| span["displayName"] == name);
        found.unwrap_or_else(|| panic!("no `{name}` in\n{}", self.tree()))
    }

    /// Returns the value of an attribute that holds JSON.
    pub(super) fn json(&self, name: &str, attribute: &str) -> Value {
        let span = self.span(name);
        let text = span["attributes"][attribute].as_str();
        let text = text.unwrap_or_else(|| panic!("no {attribute} in {span:#}"));
        serde_json::from_str(text).unwrap()
    }

    /// Formats the spans with one line each: its name, its outcome, and whether it is the source of a failure.
    pub(super) fn tree(&self) -> String {
        let spans = self.spans();
        let mut lines = String::new();
        for root in spans.iter().filter(|span| span.get("parentSpanId").is_none()) {
            branch(&spans, root, 0, &mut lines);
        }
        lines
    }
}

fn branch(spans: &[Value], span: &Value, depth: usize, lines: &mut String) {
    let attributes = &span["attributes"];
    let text = |key: &str| attributes[key].as_str().unwrap_or("?");
    assert_ne!(span["endTime"], 0.0, "it has ended: {span:#}");
    let kind = attributes["genkit:metadata:subtype"].as_str().unwrap_or(text("genkit:type"));
    *lines += &format!("{}{} ({kind})", "  ".repeat(depth), span["displayName"].as_str().unwrap());
    if text("genkit:state") != "success" {
        *lines += &format!(" {}", text("genkit:state"));
    }
    if attributes["genkit:isFailureSource"] == true {
        *lines += " <- source";
    }
    lines.push('\n');
    for child in spans.iter().filter(|child| child["parentSpanId"] == span["spanId"]) {
        branch(spans, child, depth + 1, lines);
    }
}
