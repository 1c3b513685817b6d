//! The response of a run. The body is written while the action runs, and the action makes progress only while
//! the client reads.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::Response;
use futures_util::stream;
use serde_json::json;

use crate::actions::{ActionRun, RunEvent};

/// Builds the response of a run. Its head is sent before the action runs.
pub(super) fn run_response(run: ActionRun, streams: bool) -> Response {
    let ids = [("x-genkit-trace-id", run.trace_id()), ("x-genkit-span-id", run.span_id())];
    let kind = if streams { "text/plain" } else { "application/json" };
    let mut response = Response::builder().header("content-type", kind);
    for (name, id) in ids {
        response = response.header(name, id);
    }
    let lines = stream::unfold(run, async move |mut run| {
        let event = run.next().await?;
        let line = event_line(event, run.trace_id());
        Some((Ok::<_, Infallible>(line), run))
    });
    response.body(Body::from_stream(lines)).unwrap_or_default()
}

/// Builds the text of an event. A chunk is a line; the end has no newline, since the CLI treats lines as chunks.
fn event_line(event: RunEvent, trace_id: &str) -> String {
    match event {
        RunEvent::Chunk(chunk) => format!("{chunk}\n"),
        RunEvent::End(Ok(result)) => {
            json!({"result": result, "telemetry": {"traceId": trace_id}}).to_string()
        }
        RunEvent::End(Err(status)) => json!({ "error": status.to_json() }).to_string(),
    }
}
