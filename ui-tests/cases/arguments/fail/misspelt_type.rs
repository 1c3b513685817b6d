use genkit::tool;

/// Does something.
#[tool]
async fn act(city: Cty) -> String {
    city.name
}

fn main() {}
