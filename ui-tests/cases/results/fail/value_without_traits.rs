use genkit::tool;

struct Weather {
    celsius: f64,
}

/// Does something.
#[tool]
async fn act() -> Weather {
    Weather { celsius: 21.0 }
}

fn main() {}
