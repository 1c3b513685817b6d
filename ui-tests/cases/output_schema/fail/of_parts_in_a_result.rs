use genkit::{Part, Result, tool};

/// Gets the weather.
#[tool(output_schema = { "type": "object" })]
async fn weather() -> Result<Vec<Part>> {
    Ok(vec![Part::text("21 degrees")])
}

fn main() {}
