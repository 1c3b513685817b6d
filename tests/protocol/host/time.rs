//! `mcp-server-time`, based on the Python SDK, which supports the newest protocol.

use genkit::mcp::host::{McpHost, ProtocolEra, ServerConfig, StdioTransport};
use serde_json::json;

use super::mark::{self, Mark};
use crate::packages;

pub(super) fn server(mark: &Mark) -> StdioTransport {
    ServerConfig::stdio(packages::python())
        .args(["-m", "mcp_server_time", "--local-timezone", "UTC"])
        .env(mark::VARIABLE, mark.name())
}

#[tokio::test]
async fn newest_protocol_is_found_by_asking() {
    let mark = Mark::new("time");
    let host = McpHost::builder()
        .server("probed", server(&mark))
        .server("newest", server(&mark).protocol(ProtocolEra::Stateless))
        .server("session", server(&mark).protocol(ProtocolEra::Sessions))
        .build()
        .unwrap();
    for client in host.clients() {
        client.ready().await.unwrap();
    }
    let versions: Vec<_> =
        host.status().into_iter().map(|status| status.protocol_version.unwrap()).collect();
    assert_eq!(versions, ["2026-07-28", "2026-07-28", "2025-11-25"]);
    for key in ["probed", "newest", "session"] {
        let input = json!({
            "source_timezone": "Europe/Berlin", "time": "16:30", "target_timezone": "Asia/Tokyo"
        });
        let said = host.call_tool(&format!("{key}/convert_time"), input).await.unwrap();
        // It is afternoon there regardless of daylight saving time and the season.
        let there = said["target"]["datetime"].as_str().unwrap();
        assert!(there.contains("T23:30") || there.contains("T00:30"), "{said}");
        assert_eq!(said["source"]["timezone"], "Europe/Berlin");
        let input = json!({"timezone": "Mars/Olympus"});
        let error = host.call_tool(&format!("{key}/get_current_time"), input).await.unwrap_err();
        assert!(error.to_string().contains("Mars/Olympus"), "{error}");
    }
    mark.close(host).await;
}

/// A server that starts more slowly than the time limit of version detection finds both requests waiting: it responds
/// to the first, and refuses the second.
#[tokio::test]
async fn slow_start_makes_no_old_server() {
    let mark = Mark::new("time-slow");
    let server = ServerConfig::stdio("sh")
        .args(["-c", "sleep 1; exec \"$0\" -m mcp_server_time --local-timezone UTC"])
        .arg(packages::python())
        .env(mark::VARIABLE, mark.name());
    let host = McpHost::builder()
        .server("time", server)
        .probe_timeout(std::time::Duration::from_millis(200))
        .build()
        .unwrap();
    host.client("time").unwrap().ready().await.unwrap();
    let status = &host.status()[0];
    assert_eq!(status.protocol_version.as_deref(), Some("2026-07-28"), "{status:?}");
    mark.close(host).await;
}
