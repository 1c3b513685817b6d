use genkit::prompt;

/// Asks for a poem.
#[prompt(output_schema = String)]
async fn poem() -> &'static str {
    "A poem, please."
}

fn main() {}
