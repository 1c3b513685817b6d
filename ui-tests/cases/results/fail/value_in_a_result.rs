use genkit::{Result, tool};

struct Weather {
    celsius: f64,
}

/// Does something.
#[tool]
async fn act() -> Result<Weather> {
    Ok(Weather { celsius: 21.0 })
}

fn main() {}
