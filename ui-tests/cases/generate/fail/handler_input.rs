use genkit::{Context, Tool};

struct Query {
    text: String,
}

async fn search(text: String) -> genkit::Result<String> {
    Ok(text)
}

fn main() {
    let tool = Tool::builder("search", "Searches.");
    let _ = tool.handler(|_: Context, query: Query| async move { Ok(query.text) });
    let _ = search;
}
