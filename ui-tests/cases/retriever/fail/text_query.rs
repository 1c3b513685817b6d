use genkit::model::Document;
use genkit::retriever;

/// Searches the notes.
#[retriever]
async fn notes(query: String, k: usize) -> Vec<Document> {
    vec![Document::from(query); k]
}

fn main() {}
