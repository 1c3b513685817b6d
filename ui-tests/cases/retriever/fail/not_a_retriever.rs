use genkit::model::Document;
use genkit::retrieval::Retriever;
use genkit::flow;

/// Searches the notes.
#[flow]
async fn notes(query: Document) -> Vec<Document> {
    vec![query]
}

fn main() {
    let _ = Retriever::of::<notes>();
}
