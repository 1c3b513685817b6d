//! Retrievers, which find the documents that answer a question, and an index in memory for tests and small data.
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

mod error;
mod memory;
mod retriever;

pub use memory::MemoryIndex;
pub use retriever::{Retriever, RetrieverBuilder};

use genkit_core::{Document, Part};

/// The largest text of a document or query, in bytes: 1 MiB.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// The largest number of documents that a retriever returns: 100.
pub const MAX_RESULTS: usize = 100;

/// Returns the text of a document, its parts joined by line breaks.
fn text_of(document: &Document) -> String {
    document.content.iter().filter_map(Part::as_text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
