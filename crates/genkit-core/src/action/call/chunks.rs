//! Chunks: values that a function streams before its result.

use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::action::error::Error as E;
use crate::context::Context;
use crate::error::Result;
use crate::sync::lock;
use genkit_schema::internal as schema;

/// A typed stream of chunks, sent before the result of a function.
///
/// A function that takes `&Chunks<C>` sends chunks while it runs. The schema of `C` is part of its definition. Over
/// MCP, each chunk of a tool is sent as a progress message. Use [`Chunks::collect`] in unit tests.
///
/// ```
/// use genkit::{Chunks, Result, flow};
///
/// /// Counts to `n` and streams each number.
/// #[flow]
/// async fn count(chunks: &Chunks<u32>, n: u32) -> Result<u32> {
///     for i in 1..=n {
///         chunks.send(i).await?;
///     }
///     Ok(n)
/// }
/// ```
pub struct Chunks<C>(ChunkTarget<C>);

/// The destination of chunks.
enum ChunkTarget<C> {
    /// The caller of the function.
    Caller(Context),
    /// A test, which receives each chunk as a value.
    Test(Arc<dyn Fn(C) + Send + Sync>),
}

impl<C> Chunks<C> {
    pub(super) fn to_caller(context: &Context) -> Self {
        Self(ChunkTarget::Caller(context.clone()))
    }
}

impl<C: Serialize> Chunks<C> {
    /// Sends one chunk. The chunk is dropped if the caller does not receive chunks.
    ///
    /// # Errors
    /// Returns an error if the chunk cannot be serialized.
    pub async fn send(&self, chunk: C) -> Result<()> {
        match &self.0 {
            ChunkTarget::Caller(context) => {
                let chunk = genkit_schema::internal::to_finite_value(chunk).map_err(E::Chunk)?;
                context.queue_chunk(chunk).await;
            }
            ChunkTarget::Test(collect) => {
                genkit_schema::internal::to_finite_value(&chunk).map_err(E::Chunk)?;
                collect(chunk);
            }
        }
        Ok(())
    }
}

impl<C: Send + 'static> Chunks<C> {
    /// Creates a `Chunks` for a unit test of a streaming function, and a collection of the chunks sent through it.
    ///
    /// ```
    /// use genkit::{Chunks, Result, flow};
    ///
    /// /// Counts to `n` and streams each number.
    /// #[flow]
    /// async fn count(chunks: &Chunks<u32>, n: u32) -> Result<u32> {
    ///     for i in 1..=n {
    ///         chunks.send(i).await?;
    ///     }
    ///     Ok(n)
    /// }
    ///
    /// # /*
    /// #[tokio::test]
    /// # */
    /// async fn it_says_each_number() -> Result<()> {
    ///     let (chunks, sent) = Chunks::collect();
    ///     assert_eq!(count(&chunks, 3).await?, 3);
    ///     assert_eq!(sent.take(), [1, 2, 3]);
    ///     Ok(())
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() { it_says_each_number().await.unwrap() }
    /// ```
    pub fn collect() -> (Self, CollectedChunks<C>) {
        let collected = CollectedChunks(Arc::default());
        let all = Arc::clone(&collected.0);
        let target = ChunkTarget::Test(Arc::new(move |chunk| lock(&all).push(chunk)));
        (Self(target), collected)
    }
}

/// The chunks that a function under test has sent. Created by [`Chunks::collect`].
pub struct CollectedChunks<C>(Arc<Mutex<Vec<C>>>);

impl<C> CollectedChunks<C> {
    /// Takes the chunks sent since the last call, in order.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let (chunks, sent) = genkit::Chunks::collect();
    /// chunks.send("one").await?;
    /// assert_eq!(sent.take(), ["one"]);
    /// assert!(sent.take().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn take(&self) -> Vec<C> {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl<C> std::fmt::Debug for CollectedChunks<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CollectedChunks").field("count", &lock(&self.0).len()).finish()
    }
}

/// A type that can be sent through `&Chunks<_>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as a chunk",
    label = "not a chunk type",
    note = "chunks need `#[derive(serde::Serialize, schemars::JsonSchema)]`"
)]
pub trait ChunkItem {
    #[allow(missing_docs, reason = "for expansions and hidden")]
    fn chunk_schema() -> Value;
}

#[diagnostic::do_not_recommend]
impl<C: Serialize + JsonSchema> ChunkItem for C {
    fn chunk_schema() -> Value {
        schema::output_schema::<C>()
    }
}
