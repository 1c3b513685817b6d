use genkit::tool;

struct City {
    name: String,
}

/// Does something.
#[tool]
async fn act(city: City) -> String {
    city.name
}

fn main() {}
