use genkit::tool;

/// Adds.
#[tool]
mod adder {}

fn main() {}
