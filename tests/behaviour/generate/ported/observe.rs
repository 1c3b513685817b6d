//! The observations of a run, by the keys of `expect`.

use std::sync::{Arc, Mutex};

use genkit::model::{ChunkSink, GenerateChunk, Model, ModelInfo, ModelRequest, ModelResponse};
use genkit::testing::ScriptedModel;
use genkit::{Error, ErrorKind, GenerateResponse, Interrupt};
use serde_json::{Map, Value, json};

/// A scripted model that records whether its chunks are requested.
#[derive(Clone)]
pub struct Watched {
    pub script: ScriptedModel,
    wanted: Arc<Mutex<Vec<bool>>>,
}

impl Watched {
    pub fn new(script: ScriptedModel) -> Self {
        Self { script, wanted: Arc::default() }
    }
}

impl Model for Watched {
    fn name(&self) -> &str {
        self.script.name()
    }

    fn info(&self) -> ModelInfo {
        self.script.info()
    }

    fn generate<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> genkit::BoxFuture<'a, genkit::Result<ModelResponse>> {
        self.wanted.lock().unwrap().push(chunks.is_wanted());
        self.script.generate(request, chunks)
    }
}

/// The calls that reached a tool: its name and its input.
#[derive(Clone, Default)]
pub struct Calls(Arc<Mutex<Vec<Value>>>);

impl Calls {
    pub fn note(&self, name: &str, input: &Value) {
        self.0.lock().unwrap().push(json!({ name: input }));
    }
}

/// The result of a run.
pub type Ended = Result<GenerateResponse, Error>;

/// Returns everything that a case may expect of a run, including all requests and calls so far.
pub fn observed(
    ended: &Ended,
    chunks: &[GenerateChunk],
    model: &Watched,
    calls: &Calls,
) -> Map<String, Value> {
    let requests = model.script.requests();
    let nothing = GenerateResponse::default();
    let response = ended.as_ref().unwrap_or(&nothing);
    let seen = json!({
        "error": ended.as_ref().err().map(error),
        "text": response.text(),
        "output": response.output_value().ok(),
        "finish_reason": response.finish_reason,
        "message": response.message,
        "messages": response.messages(),
        "tool_requests": response.tool_requests(),
        "interrupts": response.interrupts().iter().map(interrupt).collect::<Vec<_>>(),
        "request": response.request,
        "chunks": chunks,
        "model_calls": requests.len(),
        "model_requests": requests,
        "chunks_wanted": *model.wanted.lock().unwrap(),
        "calls": *calls.0.lock().unwrap(),
    });
    let Value::Object(mut seen) = seen else { return Map::new() };
    let said = response.finish_message.clone().unwrap_or_default();
    seen.insert("finish".to_owned(), json!({ "contains": said }));
    seen
}

/// Returns an interrupt as a program sees it.
fn interrupt(open: &Interrupt) -> Value {
    json!({"call": open.tool_request(), "asks": open.metadata()})
}

fn error(error: &Error) -> Value {
    let kind = match error.kind() {
        ErrorKind::InvalidArgument => "INVALID_ARGUMENT",
        ErrorKind::NotFound => "NOT_FOUND",
        ErrorKind::FailedPrecondition => "FAILED_PRECONDITION",
        ErrorKind::Aborted => "ABORTED",
        ErrorKind::Unknown => "UNKNOWN",
        _ => "OTHER",
    };
    let done = error.partial().map(|partial| partial.messages().len());
    json!({"kind": kind, "contains": error.chain(), "messages": done})
}
