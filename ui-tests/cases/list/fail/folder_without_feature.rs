genkit::prompts!("prompts");

fn main() {}
