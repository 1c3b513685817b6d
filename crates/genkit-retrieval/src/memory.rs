//! An in-memory index.

use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use genkit_core::{Document, Result};
use genkit_model::internal::embed_in_span;
use genkit_model::{EmbedRequest, EmbedTask, Embedder};

use crate::error::Error;
use crate::{MAX_TEXT_BYTES, Retriever};

/// The maximum number of texts in one request to the embedder.
const BATCH: usize = 100;

/// An in-memory index of documents, for tests and small data sets. It compares the query with every document, by cosine
/// similarity.
///
/// Clones share the documents. Nothing is written to disk.
#[derive(Clone)]
pub struct MemoryIndex {
    embedder: Arc<dyn Embedder>,
    entries: Arc<RwLock<Vec<Entry>>>,
    max_documents: usize,
    has_tasks: bool,
}

struct Entry {
    /// A vector of length 1, or of zeros.
    vector: Vec<f64>,
    document: Document,
}

impl MemoryIndex {
    /// Creates an empty index that computes its vectors with `embedder`.
    pub fn new(embedder: impl Embedder) -> Self {
        Self {
            embedder: Arc::new(embedder),
            entries: Arc::default(),
            max_documents: 10_000,
            has_tasks: false,
        }
    }

    /// Sets the maximum number of documents. Default is 10,000.
    #[must_use]
    pub fn max_documents(mut self, count: usize) -> Self {
        self.max_documents = count;
        self
    }

    /// Passes the task of each input (document or query) to the embedder. Disabled by default, because some embedders
    /// do not accept options.
    #[must_use]
    pub fn with_tasks(mut self) -> Self {
        self.has_tasks = true;
        self
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds documents: all of them, or none if there is an error.
    ///
    /// # Errors
    ///
    /// Returns an error if a document has no text or more than [`MAX_TEXT_BYTES`] bytes, if the index would contain too
    /// many documents, or if the embedder fails or returns vectors that cannot be compared.
    pub async fn add<D: Into<Document>>(&self, docs: impl IntoIterator<Item = D>) -> Result<()> {
        let room = self.max_documents.saturating_sub(self.len());
        let (mut documents, mut texts) = (Vec::new(), Vec::new());
        for document in docs {
            if documents.len() == room {
                return Err(Error::Full(self.max_documents).into());
            }
            let document = document.into();
            texts.push(checked_text(&document)?);
            documents.push(document);
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            vectors.extend(self.embed(batch.to_vec(), EmbedTask::Document).await?);
        }
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        // Another task may have added documents in the meantime.
        if entries.len() + vectors.len() > self.max_documents {
            return Err(Error::Full(self.max_documents).into());
        }
        let expected = entries.first().map(|entry| entry.vector.len());
        if let Some(expected) = expected.or(vectors.first().map(Vec::len)) {
            vectors.iter().try_for_each(|vector| self.check_dimensions(vector, expected))?;
        }
        let added = vectors.into_iter().zip(documents);
        entries.extend(added.map(|(vector, document)| Entry { vector, document }));
        Ok(())
    }

    /// Finds at most `k` documents, the most similar first.
    ///
    /// # Errors
    ///
    /// Returns an error if the query has no text or more than [`MAX_TEXT_BYTES`] bytes, or if the embedder fails or
    /// returns a vector that cannot be compared.
    pub async fn search(&self, query: impl Into<Document>, k: usize) -> Result<Vec<Document>> {
        let text = checked_text(&query.into())?;
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let vectors = self.embed(vec![text], EmbedTask::Query).await?;
        let query = vectors.into_iter().next().unwrap_or_default();
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let mut scored = Vec::with_capacity(entries.len());
        for entry in entries.iter() {
            self.check_dimensions(&query, entry.vector.len())?;
            let score: f64 = entry.vector.iter().zip(&query).map(|(a, b)| a * b).sum();
            scored.push((score, &entry.document));
        }
        scored.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
        Ok(scored.into_iter().take(k).map(|(_, document)| document.clone()).collect())
    }

    /// Converts the index into a [`Retriever`].
    #[must_use]
    #[track_caller]
    pub fn into_retriever(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Retriever {
        Retriever::builder(name, description).handler(move |query, k| {
            let index = self.clone();
            async move { Ok(index.search(query, k).await?) }
        })
    }

    /// Computes vectors that are scaled to length 1.
    async fn embed(&self, texts: Vec<String>, task: EmbedTask) -> Result<Vec<Vec<f64>>> {
        let count = texts.len();
        let mut request = EmbedRequest::new(texts);
        if self.has_tasks {
            request = request.with_task(task);
        }
        let embeddings = embed_in_span(&*self.embedder, request).await?.embeddings;
        let name = || self.embedder.name().to_owned();
        if embeddings.len() != count {
            return Err(Error::Count(name(), embeddings.len(), count).into());
        }
        let vectors = embeddings.iter().map(|embedding| to_unit(embedding.values()));
        vectors.map(|vector| vector.ok_or_else(|| Error::Vector(name()).into())).collect()
    }

    fn check_dimensions(&self, vector: &[f64], expected: usize) -> Result<()> {
        if vector.len() == expected {
            return Ok(());
        }
        Err(Error::Dimensions(self.embedder.name().to_owned(), vector.len(), expected).into())
    }
}

impl fmt::Debug for MemoryIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryIndex").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Returns the text of a document, or an error if it is empty or too long.
fn checked_text(document: &Document) -> Result<String> {
    let text = document.text();
    if text.trim().is_empty() {
        return Err(Error::MissingText.into());
    }
    if text.len() > MAX_TEXT_BYTES {
        return Err(Error::Text(text.len()).into());
    }
    Ok(text)
}

/// Scales a vector to length 1. Returns `None` if it is empty or contains numbers that are not finite.
fn to_unit(values: &[f64]) -> Option<Vec<f64>> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    // Dividing by the largest number first keeps the squares finite.
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return Some(values.to_vec());
    }
    let scaled: Vec<f64> = values.iter().map(|value| value / largest).collect();
    let length = scaled.iter().map(|value| value * value).sum::<f64>().sqrt();
    Some(scaled.into_iter().map(|value| value / length).collect())
}
