use genkit::{prompt, tool};

/// Gets the weather.
#[tool]
async fn get_weather(city: String) -> String {
    city
}

/// Asks for the weather.
#[prompt(tools = ["remote/search"], tool_choice = get_weather)]
async fn ask() -> String {
    "Rome".to_owned()
}

fn main() {}
