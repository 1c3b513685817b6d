use genkit::tool;

struct City;

/// Does something.
#[tool]
async fn act(cities: Vec<City>) -> usize {
    cities.len()
}

fn main() {}
