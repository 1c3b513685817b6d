/// Looks for books.
#[tool(needs_approval, output_schema = Books)]
async fn find(
    /// # Words
    ///
    /// The words to match.
    #[schemars(length(min = 1, max = 80), pattern("^[^*]*$"), example = &"the sea")]
    words: String,
    #[serde(rename = "max", alias = "limit")]
    #[schemars(range(min = 1, max = MAX))]
    #[serde(default = "limit")]
    limit: u8,
) -> Value {
    library::find(words, limit).await
}
