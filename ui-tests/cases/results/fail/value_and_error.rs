// mistakes: 2
use genkit::tool;

struct Weather;

struct Rain;

/// Does something.
#[tool]
async fn act() -> Result<Weather, Rain> {
    Err(Rain)
}

fn main() {}
