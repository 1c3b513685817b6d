//! Rerankers, which order documents by their relevance to a query.

use std::future::Future;
use std::sync::Arc;

use genkit_core::internal::action::CustomAction;
use genkit_core::internal::trace::is_on;
use genkit_core::{Action, Document, Flow, HandlerResult, IntoActions, Invocation};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::action::{self, document_list_json, document_schema};
use crate::error::Error;
use crate::{MAX_RESULTS, MAX_TEXT_BYTES};

/// A reranker, which orders documents by their relevance to a query, and may omit some. Cheap to clone.
///
/// Pass it to [`Retriever::with_reranker`](crate::Retriever::with_reranker).
///
/// ```
/// use genkit_core::Document;
/// use genkit_retrieval::Reranker;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit_core::Result<()> {
/// let short = Reranker::builder("short", "Puts short documents first.").handler(
///     |_query: Document, mut documents: Vec<Document>| async move {
///         documents.sort_by_key(|document| document.text().len());
///         Ok(documents)
///     },
/// );
/// let ordered = short.rerank("tea", vec!["green tea".into(), "tea".into()]).await?;
/// assert_eq!(ordered[0].text(), "tea");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Reranker {
    flow: Flow,
}

/// A query and the documents to order.
#[derive(Deserialize)]
struct Request {
    query: Document,
    documents: Vec<Document>,
}

impl Reranker {
    /// Creates a builder for a reranker.
    pub fn builder(name: impl Into<String>, description: impl Into<String>) -> RerankerBuilder {
        RerankerBuilder { name: name.into(), description: description.into() }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.flow.name()
    }

    /// Orders documents, the most relevant first, and records the call as a trace span.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than [`MAX_RESULTS`] documents, if the query has more than
    /// [`MAX_TEXT_BYTES`] bytes of text, or if the closure fails.
    pub fn rerank(
        &self,
        query: impl Into<Document>,
        documents: Vec<Document>,
    ) -> Invocation<Vec<Document>> {
        let (flow, query) = (self.flow.clone(), query.into());
        Invocation::new(self.name(), async move |context| {
            if documents.len() > MAX_RESULTS {
                return Err(Error::Results(flow.name().to_owned(), documents.len()).into());
            }
            let bytes = query.text().len();
            if bytes > MAX_TEXT_BYTES {
                return Err(Error::Text(bytes).into());
            }
            let input = json!({ "query": query, "documents": documents });
            let shown = if is_on() { input.clone() } else { Value::Null };
            let work = action::call_for_documents(&flow, &context, input);
            action::trace("reranker", flow.name(), &|| shown.clone(), work, document_list_json)
                .await
        })
    }
}

#[doc(hidden)]
impl CustomAction for Reranker {
    fn kind(&self) -> &'static str {
        "reranker"
    }

    fn flow(&self) -> &Flow {
        &self.flow
    }

    fn with_flow(&self, flow: Flow) -> Arc<dyn CustomAction> {
        Arc::new(Self { flow })
    }

    fn to_listing(&self) -> Value {
        let documents = json!({ "type": "array", "items": document_schema() });
        json!({
            "inputSchema": {
                "type": "object",
                "properties": { "query": document_schema(), "documents": documents },
                "required": ["query", "documents"],
            },
            "outputSchema": action::document_list_schema(),
            "metadata": { "type": "reranker", "reranker": { "label": self.name() } },
        })
    }

    fn run(&self, request: Value) -> Invocation<Value> {
        let reranker = self.clone();
        Invocation::new(self.name(), async move |context| {
            let Request { query, documents } = action::parse_request(request)?;
            let ordered = reranker.rerank(query, documents).context(&context).await?;
            Ok(document_list_json(&ordered))
        })
    }
}

impl From<Reranker> for Action {
    fn from(reranker: Reranker) -> Self {
        Self::Custom(Arc::new(reranker))
    }
}

#[diagnostic::do_not_recommend]
impl IntoActions for Reranker {
    fn into_actions(self) -> Vec<Action> {
        vec![self.into()]
    }
}

/// A builder of a [`Reranker`]. Created by [`Reranker::builder`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `.handler(..)`"]
pub struct RerankerBuilder {
    name: String,
    description: String,
}

impl RerankerBuilder {
    /// Sets the closure that orders documents, and builds the reranker. The closure can return any error.
    #[track_caller]
    pub fn handler<F, Fut>(self, function: F) -> Reranker
    where
        F: Fn(Document, Vec<Document>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: HandlerResult<Value = Vec<Document>>> + Send + 'static,
    {
        let order = Arc::new(function);
        let flow = Flow::from_fn(self.name, self.description, move |_, input| {
            let order = Arc::clone(&order);
            Box::pin(async move {
                let Request { query, documents } = action::parse_request(input)?;
                action::to_value(&order(query, documents).await.into_result()?)
            })
        });
        Reranker { flow }
    }
}
