/// Looks for books.
#[tool]
async fn find(
    #[serde(flatten)] filter: Filter,
    #[serde(rename = "max", alias = "limit")]
    #[schemars(range(min = 1, max = 50))]
    #[arg(default = 10)]
    limit: u8,
) -> Vec<Book> {
    library::find(filter, limit).await
}
