use genkit::prompt;

/// Gets the weather.
async fn get_weather(city: String) -> String {
    city
}

/// Asks for the weather.
#[prompt(tools = [get_weather])]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
