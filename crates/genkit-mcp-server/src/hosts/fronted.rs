//! A host whose servers this server fronts.

pub(crate) use genkit_mcp_host::McpHost as FrontedHost;
use genkit_mcp_host::ServerState;

/// Counts the connected servers of a host and its enabled servers.
pub(super) fn count_servers(host: &FrontedHost) -> (usize, usize) {
    let mut states: Vec<ServerState> = host.status().iter().map(|server| server.state).collect();
    states.retain(|state| *state != ServerState::Disabled);
    let connected = states.iter().filter(|state| **state == ServerState::Connected).count();
    (connected, states.len())
}
