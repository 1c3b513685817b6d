//! Protocol eras: sessions with a handshake, or stateless requests.

use rmcp::model::ProtocolVersion;

/// The protocol rules that a request follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Up to 2025-11-25: `initialize`, sessions, and requests from the server to the client.
    Legacy,
    /// From 2026-07-28: stateless requests, and questions from the server as results.
    Modern,
}

impl Era {
    pub(crate) fn from_version(version: &ProtocolVersion) -> Self {
        if version.has_initialize() { Self::Legacy } else { Self::Modern }
    }
}
