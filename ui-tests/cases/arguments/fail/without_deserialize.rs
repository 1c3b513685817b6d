use genkit::tool;

#[derive(schemars::JsonSchema)]
struct City {
    name: String,
}

/// Does something.
#[tool]
async fn act(city: City) -> String {
    city.name
}

fn main() {}
