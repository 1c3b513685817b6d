use genkit::model::Document;
use genkit::retriever;

/// Finds notes.
#[retriever]
async fn notes(query: &str, k: usize) -> Vec<Document> {
    vec![Document::from_text(format!("{query} {k}"))]
}

fn main() {}
