use genkit::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    text: String,
}

/// Does something.
#[tool]
async fn act(#[input] query: Query, #[input] other: Query) -> String {
    query.text + &other.text
}

fn main() {}
