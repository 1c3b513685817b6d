use genkit::{Context, Tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    text: String,
}

async fn search(text: String) -> genkit::Result<String> {
    Ok(text)
}

fn main() {
    let tool = Tool::builder("search", "Searches.");
    let _ = tool.handler(|_: Context, query: Query| async move { search(query.text).await });
    let _ = search;
}
