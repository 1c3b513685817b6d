//! A run of a flow for a request, with its limits, trace and cancellation.

use std::future::{Future, IntoFuture as _};
use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::sync::DropGuard;

use super::answer::FlowErrorResponse;
use super::error::Error as E;
use super::shared::{FlowEndpoint, FlowSlot};
use genkit_core::BoxFuture;
use genkit_core::Flow;
use genkit_core::internal::context::Caller;
use genkit_core::internal::fair_share::hash_client;
use genkit_core::internal::trace;
use genkit_core::internal::trace::Root;
use genkit_core::{ErrorKind, Result};

const TRACE_ID: HeaderName = HeaderName::from_static("x-genkit-trace-id");
const SPAN_ID: HeaderName = HeaderName::from_static("x-genkit-span-id");

/// A request that passed all checks.
pub(super) struct AdmittedFlow {
    pub(super) flow: Flow,
    pub(super) input: Value,
    pub(super) context: Map<String, Value>,
    pub(super) extensions: http::Extensions,
    /// The owner of its stream.
    pub(super) owner: String,
    /// The client that holds the slot.
    pub(super) client: String,
    /// The slot that counts it as a running flow, or as a reader of a stream.
    pub(super) place: FlowSlot,
}

/// A flow that runs until it is dropped.
pub(super) struct FlowRun<W> {
    pub(super) work: W,
    /// Cancels the context of the flow, so that tasks that it spawned are notified.
    pub(super) cancel: DropGuard,
    pub(super) place: FlowSlot,
    pub(super) trace: TraceHeaders,
}

impl FlowEndpoint {
    /// Prepares the run of a flow. Chunks are sent to `chunks`, or discarded if it is `None`.
    pub(super) fn start_flow(
        self: &Arc<Self>,
        admitted: AdmittedFlow,
        chunks: Option<mpsc::Sender<Value>>,
    ) -> FlowRun<impl Future<Output = Result<Value, FlowErrorResponse>> + Send + use<>> {
        let AdmittedFlow { flow, input, context, extensions, client, place, .. } = admitted;
        // All running flows are cancelled when the server ends.
        let cancel = self.end.child_token();
        let root = root(&context);
        let trace = TraceHeaders::from_root(&root);
        let run = flow
            .run_json(Ok(input))
            .states(&self.genkit.states)
            .action_context(context)
            .with_parts(|parts| {
                parts.cancel = cancel.clone();
                parts.limit = Some(self.timeout);
                parts.extensions = Arc::new(extensions);
                parts.client = Some(hash_client(&client));
                if let Some(chunks) = chunks {
                    parts.caller = Arc::new(StreamCaller(chunks));
                }
            });
        let endpoint = Arc::clone(self);
        let work = async move {
            let done = trace::under_root(root, run.into_future()).await;
            // Flush first, so that the trace is available when the client has the response.
            trace::flush().await;
            done.map_err(|error| match error.kind() {
                ErrorKind::Cancelled if endpoint.end.is_cancelled() => E::ShuttingDown.into(),
                _ => FlowErrorResponse::from_error(error, flow.name(), endpoint.exposes_errors),
            })
        };
        FlowRun { work, cancel: cancel.drop_guard(), place, trace }
    }
}

/// Returns the root of a request's trace, whose ids are included in the response.
fn root(context: &Map<String, Value>) -> Root {
    let mut root = Root::new();
    if trace::is_on() {
        root.context = context.clone();
        root.context.remove("secrets");
    }
    root
}

/// The headers with the ids of a trace.
#[derive(Clone)]
pub(super) struct TraceHeaders([(HeaderName, HeaderValue); 2]);

impl TraceHeaders {
    fn from_root(root: &Root) -> Self {
        let value =
            |id: String| HeaderValue::from_str(&id).expect("hex digits are a valid header value");
        Self([
            (TRACE_ID, value(root.trace_id.to_string())),
            (SPAN_ID, value(root.span_id.to_string())),
        ])
    }

    pub(super) fn on(self, mut response: Response) -> Response {
        response.headers_mut().extend(self.0);
        response
    }
}

/// The caller of a flow whose chunks are streamed. A slow reader slows down the flow.
struct StreamCaller(mpsc::Sender<Value>);

impl Caller for StreamCaller {
    fn send_chunk(&self, chunk: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // The receiver has been dropped only if the flow is being dropped.
            let _ = self.0.send(chunk).await;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_a_trace_are_hex() {
        let headers = TraceHeaders::from_root(&Root::new());
        let [(_, trace), (_, span)] = &headers.0;
        assert_eq!((trace.len(), span.len()), (32, 16));
        let response = headers.on(Response::new(axum::body::Body::empty()));
        assert_eq!(response.headers().len(), 2);
    }
}
