use genkit::tool;

#[derive(serde::Deserialize)]
struct City {
    name: String,
}

/// Does something.
#[tool]
async fn act(city: City) -> String {
    city.name
}

fn main() {}
