use genkit::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    text: String,
}

/// Does something.
#[tool]
async fn act(
    #[input]
    #[serde(rename = "q")]
    query: Query,
) -> String {
    query.text
}

fn main() {}
