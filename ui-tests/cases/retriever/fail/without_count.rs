use genkit::model::Document;
use genkit::retriever;

/// Searches the notes.
#[retriever]
async fn notes(query: Document) -> Vec<Document> {
    vec![query]
}

fn main() {}
