use genkit::model::Document;
use genkit::retriever;

/// Searches the notes.
#[retriever]
async fn notes(query: Document, k: usize, folder: String) -> Vec<Document> {
    vec![Document::from(folder), query].into_iter().take(k).collect()
}

fn main() {}
