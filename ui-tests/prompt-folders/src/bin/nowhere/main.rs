//! A folder that does not exist.

genkit::prompts!("src/bin/right/promts");
genkit::prompts!("nothing/of/this");
genkit::prompts!(pub asks = "src/bin/right/prompts");
genkit::prompts!("src/bin/right/prompts", schema(Trip));

fn main() {}
