//! Spans in the format of Genkit's telemetry server, with one request for each trace.

use serde_json::{Map, Value, json};

use genkit_core::internal::trace::SpanRecord;

/// The approximate maximum size of a request body. Default is 8 MiB.
const MAX_POST: usize = 8 * 1024 * 1024;

/// Returns the request bodies for `spans`: one for each trace, or several if one would be too large. If a span both
/// started and ended, only its end is included.
pub(super) fn build_posts(spans: Vec<SpanRecord>) -> Vec<Value> {
    let mut posts: Vec<Post> = Vec::new();
    for span in spans {
        let trace = span.trace_id.to_string();
        // Usually the last request matches.
        let fitting = posts.iter_mut().rev().find(|post| post.trace == trace);
        let size = estimate_size(&span);
        match fitting.filter(|post| post.size + size <= MAX_POST) {
            Some(post) => post.add(&span, size),
            None => {
                let mut post = Post { trace, size: 0, times: None, spans: Map::new() };
                post.add(&span, size);
                posts.push(post);
            }
        }
    }
    posts.into_iter().map(Post::into_json).collect()
}

struct Post {
    trace: String,
    size: usize,
    /// The name, start and end of the root, if it is among the spans.
    times: Option<(String, f64, f64)>,
    spans: Map<String, Value>,
}

impl Post {
    fn add(&mut self, span: &SpanRecord, size: usize) {
        if span.parent.is_none() {
            self.times = Some((span.name.clone(), span.start, span.end));
        }
        self.size += size;
        self.spans.insert(span.span_id.to_string(), span_json(span));
    }

    fn into_json(self) -> Value {
        let mut post = Map::new();
        post.insert("traceId".into(), self.trace.into());
        if let Some((name, start, end)) = self.times {
            post.insert("displayName".into(), name.into());
            post.insert("startTime".into(), start.into());
            post.insert("endTime".into(), end.into());
        }
        post.insert("spans".into(), self.spans.into());
        post.into()
    }
}

fn span_json(span: &SpanRecord) -> Value {
    let mut form = json!({
        "spanId": span.span_id.to_string(),
        "traceId": span.trace_id.to_string(),
        "startTime": span.start,
        "endTime": span.end,
        "attributes": span.attributes,
        "displayName": span.name,
        "links": [],
        "spanKind": "INTERNAL",
        "sameProcessAsParentSpan": { "value": true },
        "status": { "code": 0 },
        "timeEvents": { "timeEvent": [] },
        "instrumentationLibrary": { "name": "genkit-tracer", "version": "v1" },
    });
    if let Some(parent) = span.parent {
        form["parentSpanId"] = parent.to_string().into();
    }
    if let Some(failure) = &span.failure {
        form["status"] = json!({ "code": 2, "message": failure.message });
        form["timeEvents"]["timeEvent"] = json!([{
            "time": span.end,
            "annotation": {
                "description": "exception",
                "attributes": {
                    "exception.type": failure.kind,
                    "exception.message": failure.message,
                    "exception.stacktrace": failure.chain,
                },
            },
        }]);
    }
    form
}

fn estimate_size(span: &SpanRecord) -> usize {
    genkit_schema::internal::size::json_size(&span.attributes) + 1_024
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::internal::trace::{SpanId, TraceId};

    fn span(trace_id: TraceId, parent: Option<SpanId>, end: f64) -> SpanRecord {
        SpanRecord {
            trace_id,
            span_id: SpanId::random(),
            parent,
            name: "f".into(),
            start: 1.0,
            end,
            attributes: Map::new(),
            failure: None,
        }
    }

    #[test]
    fn post_for_each_trace_with_the_times_of_its_root() {
        let (one, two) = (TraceId::random(), TraceId::random());
        let root = span(one, None, 0.0);
        let ended = SpanRecord { end: 9.0, ..root.clone() };
        let child = span(one, Some(root.span_id), 5.0);
        let other = span(two, Some(SpanId::random()), 5.0);
        let posts = build_posts(vec![root, child, other, ended]);
        assert_eq!(posts.len(), 2);
        assert_eq!(posts[0]["spans"].as_object().unwrap().len(), 2, "the end replaces the start");
        assert_eq!(posts[0]["endTime"], 9.0);
        assert_eq!(posts[1]["traceId"], two.to_string());
        assert!(posts[1].get("startTime").is_none(), "the root is in another post");
    }

    #[test]
    fn large_trace_is_several_posts() {
        let trace = TraceId::random();
        let spans = (0..20).map(|_| {
            let mut span = span(trace, None, 1.0);
            span.attributes.insert("genkit:input".into(), "x".repeat(1 << 20).into());
            span
        });
        let posts = build_posts(spans.collect());
        assert!((3..5).contains(&posts.len()), "{}", posts.len());
    }
}
