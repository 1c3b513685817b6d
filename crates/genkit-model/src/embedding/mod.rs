//! Embeddings: what is asked for, and what comes back.

mod embedder;

use serde_json::{Map, Value};

pub use embedder::{Embedder, FnEmbedder, embedder_fn};

use genkit_core::Usage;

/// An embedding: the vector of a text.
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
    /// The vector with these numbers.
    pub fn new<N: Into<f64>>(values: impl IntoIterator<Item = N>) -> Self {
        Self(values.into_iter().map(Into::into).collect())
    }

    /// Numbers of the vector.
    pub fn values(&self) -> &[f64] {
        &self.0
    }
}

/// Embedding task: what the vectors are for, since some models make others for questions than for
/// answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmbedTask {
    /// What somebody searches for.
    Query,
    /// What is found.
    Document,
    /// How like texts are.
    Similarity,
    /// Sorting texts by labels.
    Classification,
    /// Grouping texts.
    Clustering,
    /// A question that a text answers.
    Question,
    /// A claim that a text supports.
    Fact,
    /// A question that code answers.
    CodeQuery,
}

/// Embedding request: one to an embedder.
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
    /// The texts.
    pub texts: Vec<String>,
    /// Dimensions: how many numbers each vector has. Default is the model's own.
    pub dimensions: Option<u32>,
    /// Task: what the vectors are for. Default is nothing in particular.
    pub task: Option<EmbedTask>,
    /// Settings of the provider, which go to it as they are.
    pub config: Map<String, Value>,
}

impl EmbedRequest {
    /// A request for these texts.
    pub fn new<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self { texts: texts.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Sets the dimensions: how many numbers each vector has.
    #[must_use]
    pub fn with_dimensions(mut self, dimensions: u32) -> Self {
        self.dimensions = Some(dimensions);
        self
    }

    /// Sets the task: what the vectors are for.
    #[must_use]
    pub fn with_task(mut self, task: EmbedTask) -> Self {
        self.task = Some(task);
        self
    }

    /// Adds one more setting of the provider.
    #[must_use]
    pub fn with_config(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.config.insert(key.into(), value.into());
        self
    }

    /// Whether it asks for more than vectors.
    pub(super) fn has_options(&self) -> bool {
        self.dimensions.is_some() || self.task.is_some() || !self.config.is_empty()
    }
}

/// Embedding response: the answer of an embedder.
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
    /// Embeddings: a vector for each text, in their order.
    pub embeddings: Vec<Embedding>,
    /// Usage: what it used, as far as its provider reports it.
    pub usage: Usage,
}

impl EmbedResponse {
    /// An answer with these vectors.
    pub fn new(embeddings: impl IntoIterator<Item = Embedding>) -> Self {
        Self { embeddings: embeddings.into_iter().collect(), usage: Usage::default() }
    }

    /// Sets the usage: what it used.
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
