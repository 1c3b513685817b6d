use genkit::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    text: String,
}

/// Does something.
#[tool]
async fn act(#[input(flatten)] query: Query) -> String {
    query.text
}

fn main() {}
