/// Searches the notes.
#[retriever]
async fn notes(index: &MemoryIndex, query: Document, k: usize) -> Result<Vec<Document>> {
    index.search(query, k).await
}
