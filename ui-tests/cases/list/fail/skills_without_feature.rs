genkit::skills!("skills");

fn main() {}
