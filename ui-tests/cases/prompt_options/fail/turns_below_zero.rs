use genkit::prompt;

/// Asks for the weather.
#[prompt(max_turns = -1)]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
