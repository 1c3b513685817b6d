use genkit::{serde_json, tool};

fn schema() -> std::time::Duration {
    std::time::Duration::ZERO
}

/// Gets the weather.
#[tool(output_schema = schema())]
async fn weather() -> serde_json::Value {
    serde_json::Value::Null
}

fn main() {}
