//! Embedders as actions.

use std::sync::Arc;

use genkit_core::internal::action::CustomAction;
use genkit_core::{Action, Document, Flow, Invocation, Result};
use genkit_model::{EmbedRequest, EmbedResponse, Embedder};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::action;

/// Returns the action of an embedder, for `Registry::add`. Genkit's developer tools list it and run it.
///
/// ```
/// use genkit_core::Registry;
/// use genkit_model::{Embedding, embedder_fn};
/// use genkit_retrieval::embedder_action;
///
/// let lengths = embedder_fn("lengths", |texts: Vec<String>| async move {
///     texts.iter().map(|text| Embedding::new([text.len() as f64])).collect::<Vec<_>>()
/// });
/// let registry = Registry::new().add([embedder_action(lengths)]);
/// assert!(!registry.is_empty());
/// ```
#[track_caller]
pub fn embedder_action(embedder: impl Embedder) -> Action {
    let embedder: Arc<dyn Embedder> = Arc::new(embedder);
    let (name, called) = (embedder.name().to_owned(), Arc::clone(&embedder));
    let flow = Flow::from_fn(name, String::new(), move |_, request| {
        let embedder = Arc::clone(&called);
        Box::pin(async move {
            let Request { input, options } = action::parse_request(request)?;
            let mut request = EmbedRequest::new(input.iter().map(Document::text));
            request.config = options.unwrap_or_default();
            Ok(embeddings_list(&embed_texts(&*embedder, request).await?))
        })
    });
    Action::Custom(Arc::new(EmbedderAction { flow }))
}

/// Computes embeddings in a trace span.
pub(crate) async fn embed_texts(
    embedder: &dyn Embedder,
    request: EmbedRequest,
) -> Result<EmbedResponse> {
    let documents: Vec<_> =
        request.texts.iter().map(|text| Document::from(text.as_str())).collect();
    let shown = json!({ "input": documents });
    let name = embedder.name().to_owned();
    let work = embedder.embed_with(request);
    action::trace("embedder", &name, &shown, work, embeddings_list).await
}

fn embeddings_list(response: &EmbedResponse) -> Value {
    let embeddings = response.embeddings.iter();
    let list: Vec<_> = embeddings.map(|one| json!({ "embedding": one.values() })).collect();
    json!({ "embeddings": list })
}

#[derive(Deserialize)]
struct Request {
    input: Vec<Document>,
    options: Option<serde_json::Map<String, Value>>,
}

struct EmbedderAction {
    flow: Flow,
}

impl CustomAction for EmbedderAction {
    fn kind(&self) -> &'static str {
        "embedder"
    }

    fn flow(&self) -> &Flow {
        &self.flow
    }

    fn with_flow(&self, flow: Flow) -> Arc<dyn CustomAction> {
        Arc::new(Self { flow })
    }

    fn to_listing(&self) -> Value {
        let numbers = json!({ "type": "array", "items": { "type": "number" } });
        let embedding = json!({ "type": "object", "properties": { "embedding": numbers } });
        let input = json!({ "type": "array", "items": action::document_schema() });
        json!({
            "inputSchema": {
                "type": "object",
                "properties": { "input": input, "options": { "type": "object" } },
                "required": ["input"],
            },
            "outputSchema": {
                "type": "object",
                "properties": { "embeddings": { "type": "array", "items": embedding } },
                "required": ["embeddings"],
            },
            "metadata": { "type": "embedder", "embedder": { "label": self.flow.name() } },
        })
    }

    fn run(&self, request: Value) -> Invocation<Value> {
        let flow = self.flow.clone();
        Invocation::new(self.flow.name(), async move |context| flow.call(&context, request).await)
    }
}
