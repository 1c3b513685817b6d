use genkit::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    text: String,
}

/// Does something.
#[tool]
async fn act(#[input] query: Query, days: u8) -> String {
    format!("{}{days}", query.text)
}

fn main() {}
