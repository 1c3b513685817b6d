use genkit::prompt;

/// Asks for the weather.
#[prompt(model = "")]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
