//! A host whose servers this server fronts.

pub(crate) use genkit_mcp_host::McpHost as FrontedHost;
use genkit_mcp_host::ServerState;

/// Returns one line for each omitted item of a server, and for each server that failed.
pub(super) fn describe_problems(host: &FrontedHost) -> String {
    let lines = host.status().into_iter().flat_map(|status| {
        let problems = status.notices.into_iter().chain(status.last_error);
        problems.map(move |problem| format!("{}: {problem}\n", status.server))
    });
    lines.collect()
}

/// Counts the connected servers and the enabled servers of a host.
pub(super) fn count_servers(host: &FrontedHost) -> (usize, usize) {
    let mut states: Vec<ServerState> = host.status().iter().map(|server| server.state).collect();
    states.retain(|state| *state != ServerState::Disabled);
    let connected = states.iter().filter(|state| **state == ServerState::Connected).count();
    (connected, states.len())
}
