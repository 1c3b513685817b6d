//! Embeddings: requests and responses.

mod embedder;

use serde_json::{Map, Value};

pub use embedder::{Embedder, FnEmbedder, embedder_fn};

use genkit_core::Usage;

/// An embedding: the vector that represents a text.
///
/// ```
/// use genkit::model::Embedding;
///
/// let embedding = Embedding::new([0.6_f32, 0.8]);
/// assert_eq!(embedding.values().len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding(Vec<f64>);

impl Embedding {
    /// Creates an embedding from numbers.
    pub fn new<N: Into<f64>>(values: impl IntoIterator<Item = N>) -> Self {
        Self(values.into_iter().map(Into::into).collect())
    }

    /// Returns the numbers of the vector.
    pub fn values(&self) -> &[f64] {
        &self.0
    }
}

/// The task that embeddings are for. Some models create different vectors for questions and for
/// answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmbedTask {
    /// A search query.
    Query,
    /// A document to be found by a query.
    Document,
    /// Comparing how similar texts are.
    Similarity,
    /// Assigning labels to texts.
    Classification,
    /// Grouping texts.
    Clustering,
    /// A question to be answered by a document.
    Question,
    /// A claim to be supported by a document.
    Fact,
    /// A question to be answered by code.
    CodeQuery,
}

/// A request to an embedder.
///
/// ```
/// use genkit::model::{EmbedRequest, EmbedTask};
///
/// let request = EmbedRequest::new(["tides"]).with_dimensions(256).with_task(EmbedTask::Query);
/// assert_eq!((request.texts.len(), request.dimensions), (1, Some(256)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EmbedRequest {
    /// The texts to embed.
    pub texts: Vec<String>,
    /// The number of dimensions of each vector. Default is the model's own number.
    pub dimensions: Option<u32>,
    /// The task that the vectors are for. Default is none.
    pub task: Option<EmbedTask>,
    /// Provider-specific settings, sent unchanged.
    pub config: Map<String, Value>,
}

impl EmbedRequest {
    /// Creates a request for these texts.
    pub fn new<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self { texts: texts.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Sets the number of dimensions of each vector.
    #[must_use]
    pub fn with_dimensions(mut self, dimensions: u32) -> Self {
        self.dimensions = Some(dimensions);
        self
    }

    /// Sets the task that the vectors are for.
    #[must_use]
    pub fn with_task(mut self, task: EmbedTask) -> Self {
        self.task = Some(task);
        self
    }

    /// Adds a provider-specific setting.
    #[must_use]
    pub fn with_config(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.config.insert(key.into(), value.into());
        self
    }

    /// Returns whether any option is set.
    pub(super) fn has_options(&self) -> bool {
        self.dimensions.is_some() || self.task.is_some() || !self.config.is_empty()
    }
}

/// The response of an embedder.
///
/// ```
/// use genkit::model::{EmbedResponse, Embedding};
///
/// let response = EmbedResponse::new([Embedding::new([1.0]), Embedding::new([0.5])]);
/// let first: Vec<f64> = response.into_iter().map(|embedding| embedding.values()[0]).collect();
/// assert_eq!(first, [1.0, 0.5]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EmbedResponse {
    /// The embeddings, one for each text, in the order of the texts.
    pub embeddings: Vec<Embedding>,
    /// The token usage, as reported by the provider.
    pub usage: Usage,
}

impl EmbedResponse {
    /// Creates a response with these vectors.
    pub fn new(embeddings: impl IntoIterator<Item = Embedding>) -> Self {
        Self { embeddings: embeddings.into_iter().collect(), usage: Usage::default() }
    }

    /// Sets the token usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

impl IntoIterator for EmbedResponse {
    type Item = Embedding;
    type IntoIter = std::vec::IntoIter<Embedding>;

    fn into_iter(self) -> Self::IntoIter {
        self.embeddings.into_iter()
    }
}
