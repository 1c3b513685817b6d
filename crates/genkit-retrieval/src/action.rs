//! Shared parts of the actions of this crate: spans, and the JSON for Genkit's developer tools.

use genkit_core::internal::trace::{NewSpan, SpanKind, trace_work};
use genkit_core::{Context, Document, Flow, Result};
use schemars::JsonSchema as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::Error;

/// Runs `work` in a span. If spans are exported, `input` and `show` return the recorded input and output.
pub(crate) async fn trace<T>(
    kind: &str,
    name: &str,
    input: &(dyn Fn() -> Value + Sync),
    work: impl Future<Output = Result<T>>,
    show: impl FnOnce(&T) -> Value,
) -> Result<T> {
    trace_work(NewSpan { name, kind: SpanKind::Action(kind), input }, work, show).await
}

/// Calls a function that returns documents.
pub(crate) async fn call_for_documents(
    flow: &Flow,
    context: &Context,
    input: Value,
) -> Result<Vec<Document>> {
    parse_request(flow.call(context, input).await?)
}

/// Parses the JSON of a request or a result.
pub(crate) fn parse_request<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|why| Error::Request(why.to_string()).into())
}

pub(crate) fn to_value(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|why| Error::Request(why.to_string()).into())
}

/// Returns the response of a retriever or a reranker.
pub(crate) fn document_list_json(documents: &Vec<Document>) -> Value {
    json!({ "documents": documents })
}

pub(crate) fn document_list_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "documents": { "type": "array", "items": document_schema() } },
        "required": ["documents"],
    })
}

pub(crate) fn document_schema() -> Value {
    Document::json_schema(&mut schemars::SchemaGenerator::default()).to_value()
}
