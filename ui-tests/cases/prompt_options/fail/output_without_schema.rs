use genkit::prompt;

struct Plain {
    _sky: String,
}

/// Asks for the weather.
#[prompt(output = Plain)]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
