use genkit::tool;

/// Adds numbers.
#[tool]
async fn add(numbers: [f64]) -> f64 {
    numbers.iter().sum()
}

fn main() {}
