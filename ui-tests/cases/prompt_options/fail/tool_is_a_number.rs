use genkit::prompt;

/// Asks for the weather.
#[prompt(tools = [5])]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
