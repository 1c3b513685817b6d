//! Retrievers made from closures, and the tools that call them.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use genkit_core::{BoxFuture, Context, Document, HandlerError, HandlerResult, Result, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::{MAX_RESULTS, MAX_TEXT_BYTES, text_of};

type Function = dyn Fn(Document, usize) -> BoxFuture<'static, Result<Vec<Document>>> + Send + Sync;

/// A retriever, which finds the documents that are most relevant to a query.
///
/// Pass what it finds to `.docs(..)` of `generate`, or give the model the tool that [`into_tool`](Self::into_tool)
/// returns.
#[derive(Clone)]
pub struct Retriever {
    name: String,
    description: String,
    function: Arc<Function>,
}

impl Retriever {
    /// Creates a builder of a retriever. The description tells the model what documents there are.
    pub fn builder(name: impl Into<String>, description: impl Into<String>) -> RetrieverBuilder {
        RetrieverBuilder { name: name.into(), description: description.into() }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Finds at most `k` documents, the most relevant first. Further documents from the closure are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if `k` is 0 or more than [`MAX_RESULTS`], if the query has more than [`MAX_TEXT_BYTES`] bytes
    /// of text, or if the closure fails.
    pub async fn retrieve(&self, query: impl Into<Document>, k: usize) -> Result<Vec<Document>> {
        if k == 0 || k > MAX_RESULTS {
            return Err(Error::Results(self.name.clone(), k).into());
        }
        let query = query.into();
        let bytes = text_of(&query).len();
        if bytes > MAX_TEXT_BYTES {
            return Err(Error::Text(bytes).into());
        }
        let mut found = (self.function)(query, k).await?;
        found.truncate(k);
        Ok(found)
    }

    /// Converts this into a read-only tool with the same name and description. The model passes a query, and receives
    /// the text and metadata of at most `k` documents. Media is left out.
    #[must_use]
    pub fn into_tool(self, k: usize) -> Tool {
        let (name, description) = (self.name.clone(), self.description.clone());
        Tool::builder(name, description).read_only(true).handler(
            move |_: Context, search: Search| {
                let retriever = self.clone();
                async move {
                    let found = retriever.retrieve(search.query, k).await?;
                    Ok::<_, HandlerError>(found.into_iter().map(Passage::from).collect::<Vec<_>>())
                }
            },
        )
    }
}

impl fmt::Debug for Retriever {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retriever").field("name", &self.name).finish_non_exhaustive()
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
    /// Sets the closure that finds documents, and builds the retriever. It receives the query and the largest number of
    /// documents to return, and may fail with any error.
    pub fn handler<F, Fut>(self, function: F) -> Retriever
    where
        F: Fn(Document, usize) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: HandlerResult<Value = Vec<Document>>> + Send + 'static,
    {
        let function = move |query, k| -> BoxFuture<'static, Result<Vec<Document>>> {
            let found = function(query, k);
            Box::pin(async move { found.await.into_result() })
        };
        Retriever { name: self.name, description: self.description, function: Arc::new(function) }
    }
}

/// The arguments of a tool that searches.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// The question or words to search for.
    query: String,
}

/// A document as the model receives it.
#[derive(Serialize, JsonSchema)]
struct Passage {
    text: String,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    metadata: serde_json::Map<String, serde_json::Value>,
}

impl From<Document> for Passage {
    fn from(document: Document) -> Self {
        Self { text: text_of(&document), metadata: document.metadata }
    }
}
