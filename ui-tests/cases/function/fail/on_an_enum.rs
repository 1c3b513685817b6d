use genkit::tool;

/// Adds.
#[tool]
pub enum Adder {}

fn main() {}
