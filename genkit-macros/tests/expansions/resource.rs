/// A note by its number.
#[resource("note://{id}", mime_type = "text/markdown", name = "note")]
async fn read_note(notes: &Notes, id: u64) -> Result<String> {
    notes.get(id).await
}
