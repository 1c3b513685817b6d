use genkit::tool;

struct Query {
    text: String,
}

/// Does something.
#[tool]
async fn act(#[input] query: Query) -> String {
    query.text
}

fn main() {}
