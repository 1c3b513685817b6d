use genkit::prompt;

/// Asks for the weather.
#[prompt(tool_choice = "requird")]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
