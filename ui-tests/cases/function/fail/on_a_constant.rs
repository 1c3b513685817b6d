use genkit::tool;

/// Adds.
#[tool]
const ADDER: u8 = 1;

fn main() {}
