// mistakes: 11
use genkit::tool;

struct Weather;

#[tool(titel = "Weather", timeout = 30, read_only, read_only)]
fn get_weather<T>(city: &str, #[arg(defualt)] _days: u8, (a, b): (u8, u8)) -> impl ToString {
    format!("{city}{a}{b}")
}

fn main() {}
