use genkit::model::Document;
use genkit::retriever;

/// Searches the notes.
#[retriever(needs_approval)]
async fn notes(query: Document, k: usize) -> Vec<Document> {
    vec![query; k]
}

fn main() {}
