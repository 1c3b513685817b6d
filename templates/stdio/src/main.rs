use genkit::tool;

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::main]
async fn main() -> genkit::Result<()> {
    genkit::log_to_stderr();
    genkit::serve_mcp().package(genkit::package!()).cli().await
}

#[cfg(test)]
mod tests {
    use genkit::testing::Client;
    use serde_json::json;

    #[tokio::test]
    async fn client_adds() -> genkit::Result<()> {
        let client = Client::connect(genkit::serve_mcp()).await?;
        let sum = client.call_tool("add", json!({ "a": 2, "b": 40 })).await?;
        assert_eq!(sum.text(), "42");
        Ok(())
    }
}
