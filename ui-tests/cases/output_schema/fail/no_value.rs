use genkit::{serde_json, tool};

/// Gets the weather.
#[tool(output_schema)]
async fn weather() -> serde_json::Value {
    serde_json::Value::Null
}

fn main() {}
