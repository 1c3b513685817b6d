use genkit::tool;

struct Weather {
    celsius: f64,
}

type Answer = Result<Weather, String>;

/// Does something.
#[tool]
async fn act() -> Answer {
    Ok(Weather { celsius: 21.0 })
}

fn main() {}
