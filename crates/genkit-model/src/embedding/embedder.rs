//! Embedders, which compute vectors for texts.

use std::fmt;
use std::sync::Arc;

use super::{EmbedRequest, EmbedResponse, Embedding};
use crate::closure::IntoResult;
use genkit_core::BoxFuture;
use genkit_core::internal::error::Topic;
use genkit_core::{ErrorKind, Result};

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the embedder `{0}` accepts no options; remove the dimensions, task and settings")]
    OptionsUnsupported(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}

/// An embedder. It computes a vector for each text; similar texts have similar vectors.
///
/// ```
/// use genkit::model::{Embedder, Embedding};
/// use genkit::{BoxFuture, Result};
///
/// /// An embedder that counts vowels.
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
    /// Returns the name of the embedder.
    fn name(&self) -> &str;

    /// Embeds texts. Returns one vector for each text, in the same order.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Embedding>>>;

    /// Embeds texts with options and returns the token usage; `genkit::embed`
    /// calls this method. The default implementation calls [`embed`](Self::embed), and returns an
    /// error if an option is set.
    fn embed_with(&self, request: EmbedRequest) -> BoxFuture<'_, Result<EmbedResponse>> {
        Box::pin(async move {
            if request.has_options() {
                return Err(Error::OptionsUnsupported(self.name().to_owned()).into());
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

/// An embedder created from a closure; see [`embedder_fn`].
#[derive(Clone)]
pub struct FnEmbedder {
    name: String,
    function: Arc<Function>,
}

/// Creates a custom embedder from a closure, such as a fake for tests or a wrapper around your own
/// service.
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
