use genkit::tool;

/// Adds.
#[tool]
trait Adder {}

fn main() {}
