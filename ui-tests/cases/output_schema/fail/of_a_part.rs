use genkit::{Part, tool};

#[derive(schemars::JsonSchema)]
struct Weather {
    _celsius: f64,
}

/// Gets the weather.
#[tool(output_schema = Weather)]
async fn weather() -> Part {
    Part::text("21 degrees")
}

fn main() {}
