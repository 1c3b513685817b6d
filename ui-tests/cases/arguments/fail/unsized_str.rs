use genkit::tool;

/// Greets a person.
#[tool]
async fn greet(name: str) -> String {
    name.to_owned()
}

fn main() {}
