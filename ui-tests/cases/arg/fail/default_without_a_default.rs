use genkit::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Unit {
    Celsius,
}

/// Does something.
#[tool]
async fn act(#[arg(default)] unit: Unit) -> bool {
    matches!(unit, Unit::Celsius)
}

fn main() {}
