use genkit::tool;

struct Adder;

/// Adds.
#[tool]
impl Adder {}

fn main() {}
