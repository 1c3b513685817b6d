//! Answers questions from a file: the guide page `retrieval`.

#![allow(clippy::print_stdout, reason = "a command-line program")]

use genkit::model::{Document, Gemini};
use genkit::retrieval::MemoryIndex;
use genkit::{Genkit, Registry, Result, actions, retriever};

/// Searches the handbook.
#[retriever]
async fn handbook(index: &MemoryIndex, query: Document, k: usize) -> Result<Vec<Document>> {
    index.search(query, k).await
}

#[tokio::main]
async fn main() -> Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "handbook.md".into());
    let question = std::env::args().nth(2).unwrap_or_else(|| "When do you open?".into());
    let gemini = Gemini::from_env()?;
    let index = MemoryIndex::new(gemini.embedder("gemini-embedding-001")).with_tasks();
    // One document per section: long enough to be understood alone, short enough to be about one thing.
    let text = std::fs::read_to_string(file)?;
    index.add(text.split("\n## ").filter(|section| !section.trim().is_empty())).await?;

    let genkit = Genkit::builder()
        .registry(Registry::new().add(actions![handbook]))
        .state(index)
        .default_model(gemini.model("gemini-2.5-flash"))
        .build()?;
    let response = genkit
        .generate(question)
        .system(
            "Answer from the documents. If the answer is not there, reply that you do not know.",
        )
        .retriever("handbook", 3)
        .await?;
    println!("{}", response.text());
    Ok(())
}
