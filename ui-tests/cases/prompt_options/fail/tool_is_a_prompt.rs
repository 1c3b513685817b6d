use genkit::prompt;

/// Asks for a poem.
#[prompt]
async fn poem() -> &'static str {
    "A poem, please."
}

/// Asks for the weather.
#[prompt(tools = [poem])]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
