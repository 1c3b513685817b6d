use genkit::tool;

/// Gets the weather.
#[tool(model = "gemini/gemini-2.5-flash")]
async fn get_weather(city: String) -> String {
    city
}

fn main() {}
