use genkit::model::Document;
use genkit::{Result, retriever};

/// Searches the notes.
#[retriever]
async fn notes(query: Document, k: usize) -> Result<Vec<String>> {
    Ok(vec![query.text(); k])
}

fn main() {}
