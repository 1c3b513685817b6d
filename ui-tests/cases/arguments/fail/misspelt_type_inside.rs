use genkit::tool;

/// Does something.
#[tool]
async fn act(cities: Vec<Cty>) -> usize {
    cities.len()
}

fn main() {}
