use genkit::tool;

/// Adds.
#[tool]
struct Adder;

fn main() {}
