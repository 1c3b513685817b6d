use genkit::model::Document;
use genkit::retriever;

/// Searches the notes.
#[retriever]
async fn notes(query: Document, k: usize) {
    let _ = (query, k);
}

fn main() {}
