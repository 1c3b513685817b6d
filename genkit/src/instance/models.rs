//! What runs have of their instance: models, embedders, middleware.

use std::sync::Arc;

use super::Genkit;
#[cfg(feature = "durable")]
use crate::context::RestingRuns;
#[cfg(feature = "durable")]
use crate::durable::store::RunStore;
use crate::generate::middleware::{Middleware, NamedMiddleware};
use crate::model::{Embed, EmbedRequest, EmbedderRef, Models};

/// What every run of an instance begins with.
#[derive(Clone, Default)]
pub(crate) struct RunDefaults {
    pub(crate) models: Models,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    pub(crate) named_middleware: NamedMiddleware,
    pub(crate) trace_contents: bool,
    /// Where durable runs are kept.
    #[cfg(feature = "durable")]
    pub(crate) store: Option<Arc<dyn RunStore>>,
    /// Those that this process has let go while they wait.
    #[cfg(feature = "durable")]
    pub(crate) resting: RestingRuns,
}

impl Genkit {
    /// Embeddings: turns texts into vectors with an embedder, a value or one that is found by its
    /// name; see [`embed`](crate::embed()).
    ///
    /// ```
    /// use genkit::model::{Embedding, embedder_fn};
    /// use genkit::{Genkit, Registry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let lengths = embedder_fn("house/lengths", |texts| async move {
    ///     texts.iter().map(|text| Embedding::new([text.len() as f64])).collect::<Vec<_>>()
    /// });
    /// let genkit = Genkit::builder().registry(Registry::new()).embedder(lengths).build()?;
    /// assert_eq!(genkit.embed("house/lengths", ["tide"]).await?.embeddings[0].values(), [4.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn embed<T: Into<String>>(
        &self,
        embedder: impl Into<EmbedderRef>,
        texts: impl IntoIterator<Item = T>,
    ) -> Embed {
        Embed::new(self.runs.models.clone(), embedder.into(), EmbedRequest::new(texts))
    }
}
