//! Retrievers from annotated functions and closures, and the tools that call them.

use std::future::Future;
use std::sync::Arc;

use genkit_core::internal::action::CustomAction;
use genkit_core::{
    Action, Context, Document, Flow, HandlerError, HandlerResult, IntoActions, Invocation, Result,
    RetrieverFn, RetrieverRef, Tool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::action::{self, document_list_json, document_schema};
use crate::error::Error;
use crate::{MAX_RESULTS, MAX_TEXT_BYTES, Reranker};

/// The number of documents if a request from the developer tools does not set it.
const DEFAULT_RESULTS: usize = 3;

/// A retriever, which finds the documents that are most relevant to a query. Cheap to clone.
///
/// Pass it to `.retriever(..)` of `generate`, or offer the model the tool that [`into_tool`](Self::into_tool) returns.
/// `#[retriever]` registers an annotated function; a retriever from a builder is registered with `Registry::add`.
#[derive(Clone, Debug)]
pub struct Retriever {
    flow: Flow,
    /// The reranker, and the maximum number of documents that it receives.
    reranker: Option<(Reranker, usize)>,
}

impl Retriever {
    /// Returns the retriever that `#[retriever]` defined for the function `F`.
    #[must_use]
    pub fn of<F: RetrieverFn>() -> Self {
        Self { flow: Flow::from_static(F::DEFINITION), reranker: None }
    }

    /// Creates a builder for a retriever. The model receives `description`, which should state which documents the
    /// retriever searches.
    pub fn builder(name: impl Into<String>, description: impl Into<String>) -> RetrieverBuilder {
        RetrieverBuilder { name: name.into(), description: description.into() }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.flow.name()
    }

    /// Returns the description.
    #[must_use]
    pub fn description(&self) -> &str {
        self.flow.description()
    }

    /// Sets a reranker. The reranker receives up to `candidates` documents for a query, or up to `k` if `k` is larger,
    /// and [`retrieve`](Self::retrieve) returns the first `k` documents of the reranker's result.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Reranker, candidates: usize) -> Self {
        self.reranker = Some((reranker, candidates));
        self
    }

    /// Returns the retriever under another name, for example in addition to the one that `#[retriever]` registers.
    #[must_use]
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.flow = self.flow.with_name(name.into());
        self
    }

    /// Finds at most `k` documents, the most relevant first, and records the call as a trace span. Additional documents
    /// from the function are omitted.
    ///
    /// # Errors
    ///
    /// Returns an error if `k` is 0, if `k` or the number of candidates for the reranker is more than [`MAX_RESULTS`],
    /// if the query has more than [`MAX_TEXT_BYTES`] bytes of text, or if the function or the reranker fails.
    pub fn retrieve(&self, query: impl Into<Document>, k: usize) -> Invocation<Vec<Document>> {
        let (retriever, query) = (self.clone(), query.into());
        Invocation::new(self.name(), async move |context| {
            let shown = || json!({ "query": query, "options": { "k": k } });
            let work = retriever.find_documents(&context, &query, k);
            action::trace("retriever", retriever.name(), &shown, work, document_list_json).await
        })
    }

    async fn find_documents(
        &self,
        context: &Context,
        query: &Document,
        k: usize,
    ) -> Result<Vec<Document>> {
        let wanted = self.reranker.as_ref().map_or(k, |(_, candidates)| k.max(*candidates));
        for count in [k, wanted] {
            if count == 0 || count > MAX_RESULTS {
                return Err(Error::Results(self.name().to_owned(), count).into());
            }
        }
        let bytes = query.text().len();
        if bytes > MAX_TEXT_BYTES {
            return Err(Error::Text(bytes).into());
        }
        let input = json!({ "query": query, "k": wanted });
        let mut found = action::call_for_documents(&self.flow, context, input).await?;
        found.truncate(wanted);
        if let Some((reranker, _)) = &self.reranker {
            found = reranker.rerank(query.clone(), found).context(context).await?;
        }
        found.truncate(k);
        Ok(found)
    }

    /// Converts the retriever into a read-only tool with the same name and description. The model passes a query, and
    /// receives the text and metadata of at most `k` documents. Media is omitted.
    #[must_use]
    pub fn into_tool(self, k: usize) -> Tool {
        let (name, description) = (self.name().to_owned(), self.description().to_owned());
        Tool::builder(name, description).read_only(true).handler(
            move |context: Context, search: Search| {
                let retriever = self.clone();
                async move {
                    let found = retriever.retrieve(search.query, k).context(&context).await?;
                    Ok::<_, HandlerError>(found.into_iter().map(Passage::from).collect::<Vec<_>>())
                }
            },
        )
    }
}

#[doc(hidden)]
impl CustomAction for Retriever {
    fn kind(&self) -> &'static str {
        "retriever"
    }

    fn flow(&self) -> &Flow {
        &self.flow
    }

    fn with_flow(&self, flow: Flow) -> Arc<dyn CustomAction> {
        Arc::new(Self { flow, reranker: self.reranker.clone() })
    }

    fn to_listing(&self) -> Value {
        let options = json!({ "type": "object", "properties": { "k": { "type": "integer" } } });
        json!({
            "inputSchema": {
                "type": "object",
                "properties": { "query": document_schema(), "options": options },
                "required": ["query"],
            },
            "outputSchema": action::document_list_schema(),
            "metadata": { "type": "retriever", "retriever": { "label": self.name() } },
        })
    }

    fn run(&self, request: Value) -> Invocation<Value> {
        #[derive(Deserialize)]
        struct Request {
            query: Document,
            options: Option<Options>,
        }
        #[derive(Deserialize)]
        struct Options {
            k: Option<usize>,
        }
        let retriever = self.clone();
        Invocation::new(self.name(), async move |context| {
            let Request { query, options } = action::parse_request(request)?;
            let k = options.and_then(|options| options.k).unwrap_or(DEFAULT_RESULTS);
            let found = retriever.retrieve(query, k).context(&context).await?;
            Ok(document_list_json(&found))
        })
    }
}

impl From<Retriever> for Action {
    fn from(retriever: Retriever) -> Self {
        Self::Custom(Arc::new(retriever))
    }
}

impl From<Retriever> for RetrieverRef {
    fn from(retriever: Retriever) -> Self {
        Self::from_action(Arc::new(retriever))
    }
}

impl From<&Retriever> for RetrieverRef {
    fn from(retriever: &Retriever) -> Self {
        retriever.clone().into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoActions for Retriever {
    fn into_actions(self) -> Vec<Action> {
        vec![self.into()]
    }
}

/// A builder of a [`Retriever`]. Created by [`Retriever::builder`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `.handler(..)`"]
pub struct RetrieverBuilder {
    name: String,
    description: String,
}

impl RetrieverBuilder {
    /// Sets the closure that finds documents, and builds the retriever. The closure receives the query and the maximum
    /// number of documents to return, and can return any error.
    #[track_caller]
    pub fn handler<F, Fut>(self, function: F) -> Retriever
    where
        F: Fn(Document, usize) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: HandlerResult<Value = Vec<Document>>> + Send + 'static,
    {
        #[derive(Deserialize)]
        struct Input {
            query: Document,
            k: usize,
        }
        let find = Arc::new(function);
        let flow = Flow::from_fn(self.name, self.description, move |_, input| {
            let find = Arc::clone(&find);
            Box::pin(async move {
                let Input { query, k } = action::parse_request(input)?;
                action::to_value(&find(query, k).await.into_result()?)
            })
        });
        Retriever { flow, reranker: None }
    }
}

// The arguments of a tool that searches. A doc comment would be sent to the model.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// The question or words to search for.
    query: String,
}

// A document as the model receives it.
#[derive(Serialize, JsonSchema)]
struct Passage {
    text: String,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    metadata: serde_json::Map<String, Value>,
}

impl From<Document> for Passage {
    fn from(document: Document) -> Self {
        Self { text: document.text(), metadata: document.metadata }
    }
}
