//! Retrievers that find documents for a query, rerankers that order documents by relevance, and an in-memory index for
//! tests and small data sets.
//!
//! ```
//! use genkit_model::{Embedding, embedder_fn};
//! use genkit_retrieval::MemoryIndex;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit_core::Result<()> {
//! let vowels = embedder_fn("vowels", |texts: Vec<String>| async move {
//!     let count = |text: &String| ["a", "o"].map(|vowel| text.matches(vowel).count() as f64);
//!     texts.iter().map(|text| Embedding::new(count(text))).collect::<Vec<_>>()
//! });
//! let index = MemoryIndex::new(vowels);
//! index.add(["banana", "moon"]).await?;
//! let notes = index.into_retriever("notes", "Searches the notes.");
//! let found = notes.retrieve("spoon", 1).await?;
//! assert_eq!(found[0].content[0].as_text(), Some("moon"));
//! # Ok(())
//! # }
//! ```

mod action;
mod error;
mod memory;
mod reranker;
mod retriever;

pub use genkit_core::RetrieverFn;
pub use memory::MemoryIndex;
pub use reranker::{Reranker, RerankerBuilder};
pub use retriever::{Retriever, RetrieverBuilder};

/// The maximum size of the text of a document or query, in bytes: 1 MiB.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// The maximum number of documents that a retriever returns: 100.
pub const MAX_RESULTS: usize = 100;

/// Items for the expansion of `#[retriever]`. Not public API.
#[doc(hidden)]
pub mod internal {
    use std::sync::Arc;

    use genkit_core::Document;
    use genkit_core::internal::action::Linked;

    pub use crate::{Retriever, RetrieverFn};

    /// Returns the registry entry of an annotated function.
    pub const fn linked<F: RetrieverFn>() -> Linked {
        Linked::Custom(|| Arc::new(Retriever::of::<F>()))
    }

    /// The type of the query.
    #[diagnostic::on_unimplemented(
        message = "the query of a retriever is a `Document`, not a `{Self}`",
        label = "not a `Document`",
        note = "write `query: genkit::model::Document`, and read its text with `query.text()`"
    )]
    pub trait IsQuery {
        fn check() {}
    }
    #[diagnostic::do_not_recommend]
    impl IsQuery for Document {}

    /// The type of the number of documents.
    #[diagnostic::on_unimplemented(
        message = "the number of documents is a `usize`, not a `{Self}`",
        label = "not a `usize`",
        note = "write `k: usize`"
    )]
    pub trait IsCount {
        fn check() {}
    }
    #[diagnostic::do_not_recommend]
    impl IsCount for usize {}

    /// The type of the result.
    #[diagnostic::on_unimplemented(
        message = "a retriever returns documents, not a `{Self}`",
        label = "not `Vec<Document>`",
        note = "return `Vec<genkit::model::Document>`, or a `Result` of it"
    )]
    pub trait IsDocumentList {
        fn check() {}
    }
    #[diagnostic::do_not_recommend]
    impl IsDocumentList for Vec<Document> {}
    #[diagnostic::do_not_recommend]
    impl<E> IsDocumentList for Result<Vec<Document>, E> {}
}

#[cfg(test)]
mod tests;
