use genkit::prompt;

/// Asks for the weather.
#[prompt(config = 0.2)]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
