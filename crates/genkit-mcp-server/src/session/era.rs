//! Protocol eras: sessions with a handshake, or stateless requests.

use rmcp::model::ProtocolVersion;

/// Which rules a request follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Up to 2025-11-25: `initialize`, sessions, requests from the server to the client.
    Legacy,
    /// From 2026-07-28: stateless; a question of the server is a result.
    Modern,
}

impl Era {
    pub(crate) fn of_version(version: &ProtocolVersion) -> Self {
        if version.has_initialize() { Self::Legacy } else { Self::Modern }
    }
}
