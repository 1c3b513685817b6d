use axum::Router;
use axum::routing::get;
use genkit::tool;

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Builds the app: the MCP server at `/mcp`, next to the routes of the program.
fn app() -> genkit::Result<Router> {
    let mcp = genkit::serve_mcp().package(genkit::package!()).router()?;
    Ok(Router::new().route("/", get(|| async { "MCP is at /mcp" })).merge(mcp))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    genkit::log_to_stderr();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    axum::serve(listener, app()?).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use genkit::testing::Client;
    use serde_json::json;

    #[tokio::test]
    async fn client_adds() -> genkit::Result<()> {
        assert!(super::app().is_ok());
        let client = Client::connect(genkit::serve_mcp()).await?;
        let sum = client.call_tool("add", json!({ "a": 2, "b": 40 })).await?;
        assert_eq!(sum.text(), "42");
        Ok(())
    }
}
