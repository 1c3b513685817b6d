//! Protocol eras: sessions with a handshake, or stateless requests.

use rmcp::model::ProtocolVersion;
#[cfg(feature = "rmcp-handler")]
use rmcp::{RoleServer, service::RequestContext};

/// Which rules a request follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Up to 2025-11-25: `initialize`, sessions, requests from the server to the client.
    Legacy,
    /// From 2026-07-28: stateless; a question of the server is a result.
    Modern,
}

impl Era {
    #[cfg(feature = "rmcp-handler")]
    pub(crate) fn of(request: &RequestContext<RoleServer>) -> Self {
        request.protocol_version().map_or(Self::Legacy, |version| Self::of_version(&version))
    }

    pub(crate) fn of_version(version: &ProtocolVersion) -> Self {
        if version.has_initialize() { Self::Legacy } else { Self::Modern }
    }
}
