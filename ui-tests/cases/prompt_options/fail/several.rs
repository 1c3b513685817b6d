// mistakes: 2
use genkit::prompt;

/// Asks for the weather.
#[prompt(model = 5, max_turns = "3", tools = [poem])]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
