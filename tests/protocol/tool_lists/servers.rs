//! Third-party servers: handwritten ones with any list of tools, and public ones.

use genkit::mcp::host::{CustomTransport, ServerConfig, StdioTransport};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::packages;

/// Keys without which servers do not list their tools. None is sent anywhere.
const KEYS: [&str; 14] = [
    "AIRTABLE_API_KEY",
    "BRAVE_API_KEY",
    "CHANNEL_ACCESS_TOKEN",
    "CIRCLECI_TOKEN",
    "EXA_API_KEY",
    "FIRECRAWL_API_KEY",
    "GITHUB_PERSONAL_ACCESS_TOKEN",
    "GITLAB_PERSONAL_ACCESS_TOKEN",
    "GOOGLE_MAPS_API_KEY",
    "NOTION_TOKEN",
    "PERPLEXITY_API_KEY",
    "PINECONE_API_KEY",
    "SENTRY_ACCESS_TOKEN",
    "TAVILY_API_KEY",
];

/// Returns a public server, as a program.
pub(super) fn public(package: &str) -> StdioTransport {
    if package.contains("==") {
        return ServerConfig::stdio(packages::public_python_server(package));
    }
    let mut server = ServerConfig::stdio("node").arg(packages::public_server(package));
    for key in KEYS {
        server = server.env(key, "pat0.key");
    }
    server = server.env("PRIVATE_APP_ACCESS_TOKEN", "key").env("SLACK_TEAM_ID", "T0");
    server =
        server.env("SLACK_BOT_TOKEN", "xoxb-0").env("HOME", packages::scratch("public-server"));
    match package.rsplit_once('@').map(|(name, _)| name) {
        Some("@modelcontextprotocol/server-postgres") => server.arg("postgresql://127.0.0.1/none"),
        Some("mcp-obsidian") => server.arg(packages::scratch("vault")),
        _ => server,
    }
}

/// Returns a server of the older protocol with these tools.
pub(super) fn with_tools(tools: Vec<Value>) -> CustomTransport {
    genkit::mcp::rmcp::custom_transport(move || {
        let tools = tools.clone();
        let (here, there) = tokio::io::duplex(1 << 20);
        let (reader, mut writer) = tokio::io::split(here);
        tokio::spawn(async move {
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message: Value = serde_json::from_str(&line).unwrap();
                let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
                match message["method"].as_str() {
                    Some("initialize") => {
                        answer["result"] = json!({
                            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "other", "version": "1"},
                        });
                    }
                    Some("tools/list") => answer["result"] = json!({"tools": tools}),
                    _ if message["id"].is_null() => continue,
                    _ => answer["error"] = json!({"code": -32601, "message": "no"}),
                }
                if writer.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        async move { Ok(tokio::io::split(there)) }
    })
}
