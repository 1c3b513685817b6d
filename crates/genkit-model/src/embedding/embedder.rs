//! Embedders: from texts to vectors.

use std::fmt;
use std::sync::Arc;

use super::{EmbedRequest, EmbedResponse, Embedding};
use crate::closure::IntoResult;
use genkit_core::BoxFuture;
use genkit_core::internal::error::Topic;
use genkit_core::{ErrorKind, Result};

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the embedder `{0}` takes texts alone: leave dimensions, task and settings out")]
    NoOptions(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}

/// Embedder: it gives a vector for each text, so that like texts have like vectors.
///
/// ```
/// use genkit::model::{Embedder, Embedding};
/// use genkit::{BoxFuture, Result};
///
/// /// Counts vowels.
/// struct Vowels;
///
/// impl Embedder for Vowels {
///     fn name(&self) -> &str {
///         "vowels"
///     }
///
///     fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Embedding>>> {
///         let count = |text: String| {
///             Embedding::new("aeiou".chars().map(|vowel| text.matches(vowel).count() as f64))
///         };
///         Box::pin(async move { Ok(texts.into_iter().map(count).collect()) })
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let embedded = Vowels.embed(vec!["banana".to_owned()]).await?;
/// assert_eq!(embedded[0].values()[0], 3.0);
/// # Ok(())
/// # }
/// ```
pub trait Embedder: Send + Sync + 'static {
    /// Name of the embedder.
    fn name(&self) -> &str;

    /// Embeds texts: a vector for each, in their order.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Embedding>>>;

    /// Embeds texts with options, and tells what it used: what `genkit::embed` calls.
    /// Without an implementation of its own an embedder takes texts alone, and options are an error.
    fn embed_with(&self, request: EmbedRequest) -> BoxFuture<'_, Result<EmbedResponse>> {
        Box::pin(async move {
            if request.has_options() {
                return Err(Error::NoOptions(self.name().to_owned()).into());
            }
            Ok(EmbedResponse::new(self.embed(request.texts).await?))
        })
    }
}

impl<E: Embedder + ?Sized> Embedder for Arc<E> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Embedding>>> {
        (**self).embed(texts)
    }

    fn embed_with(&self, request: EmbedRequest) -> BoxFuture<'_, Result<EmbedResponse>> {
        (**self).embed_with(request)
    }
}

type Function = dyn Fn(Vec<String>) -> BoxFuture<'static, Result<Vec<Embedding>>> + Send + Sync;

/// An embedder that is a closure: see [`embedder_fn`].
#[derive(Clone)]
pub struct FnEmbedder {
    name: String,
    function: Arc<Function>,
}

/// Custom embedder from a closure: a fake for tests, a wrapper around a service of your own.
///
/// ```
/// use genkit::model::{Embedder, Embedding, embedder_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let lengths = embedder_fn("lengths", |texts| async move {
///     texts.iter().map(|text| Embedding::new([text.len() as f64])).collect::<Vec<_>>()
/// });
/// assert_eq!(lengths.embed(vec!["abc".to_owned()]).await?[0].values(), [3.0]);
/// # Ok(())
/// # }
/// ```
pub fn embedder_fn<F, Fut>(name: impl Into<String>, function: F) -> FnEmbedder
where
    F: Fn(Vec<String>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoResult<Vec<Embedding>>> + Send + 'static,
{
    let function = move |texts| -> BoxFuture<'static, Result<Vec<Embedding>>> {
        let embedding = function(texts);
        Box::pin(async move { embedding.await.into_result() })
    };
    FnEmbedder { name: name.into(), function: Arc::new(function) }
}

impl IntoResult<Vec<Embedding>> for Vec<Embedding> {
    fn into_result(self) -> Result<Vec<Embedding>> {
        Ok(self)
    }
}

impl Embedder for FnEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Embedding>>> {
        (self.function)(texts)
    }
}

impl fmt::Debug for FnEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnEmbedder").field("name", &self.name).finish_non_exhaustive()
    }
}
