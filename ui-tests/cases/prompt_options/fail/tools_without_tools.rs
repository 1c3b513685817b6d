use genkit::prompt;

/// Asks for the weather.
#[prompt(tools = [])]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
