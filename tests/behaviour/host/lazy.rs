//! Tools of a host that models find by a search.

use genkit::Tool;
use genkit::mcp::McpHost;
use genkit::mcp::host::CustomTransport;
use serde_json::json;

use super::hostile::{answer, by_hand};

/// Returns a server with the tools `list` and `admin_close`.
fn server() -> CustomTransport {
    by_hand(json!({"tools": {}}), |message, say| {
        let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        if message["method"] == "tools/list" {
            let result = json!({"tools": [tool("list"), tool("admin_close")]});
            let _ = say.send(answer(message, result));
        }
    })
}

async fn lazy_tools(host: McpHost) -> Vec<String> {
    let tools = host.tools().await.unwrap();
    assert_eq!(tools.len(), 4);
    let lazy = tools.iter().filter(|tool| tool.is_lazy());
    let names = lazy.map(|tool: &Tool| tool.name().to_owned()).collect();
    host.close().await;
    names
}

#[tokio::test]
async fn host_makes_tools_lazy_by_their_full_names() {
    let host = McpHost::builder().server("jira", server()).server("github", server());
    let host = host.lazy(["github/*", "jira/admin_*"]).build().unwrap();
    let mut lazy = lazy_tools(host).await;
    lazy.sort_unstable();
    assert_eq!(lazy, ["github/admin_close", "github/list", "jira/admin_close"]);
}

#[tokio::test]
async fn server_makes_its_tools_lazy_by_their_own_names() {
    let host = McpHost::builder().server("jira", server().lazy(["admin_*"]));
    let host = host.server("github", server()).build().unwrap();
    assert_eq!(lazy_tools(host).await, ["jira/admin_close"]);
}
