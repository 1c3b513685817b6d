//! Decides whether a request follows the rules of a session or the rules of self-contained requests.

use std::sync::Arc;

use rmcp::model::{ErrorData, ProtocolVersion, RequestMetaObject};

use super::params::Params;
use crate::session::{ClientDescription, Era, Handshake, Session};

/// The rules of one request.
pub(super) struct Rules {
    pub(super) era: Era,
    /// Whether the request describes its client in `_meta`, so that the handshake is ignored.
    pub(super) described: bool,
    /// Whether the request can use the methods that only exist in a session.
    pub(super) in_session: bool,
    /// Whether the request follows an older protocol but the server keeps no session, so that the
    /// client cannot receive later notifications.
    pub(super) is_forgotten: bool,
}

impl Rules {
    /// Returns the rules of a request, or an error if it follows neither set of rules.
    pub(super) fn for_request(
        session: &Session,
        meta: &RequestMetaObject,
        params: &Params,
    ) -> Result<Self, ErrorData> {
        let handshake = session.connection.handshake();
        let settled = match &handshake {
            Handshake::Initialized(version) | Handshake::Without(version) => Some(version),
            Handshake::Waiting | Handshake::Described => None,
        };
        let opens = matches!(params, Params::Initialize(_))
            || matches!((params, &handshake), (Params::Ping, Handshake::Waiting));
        let named = if meta.is_empty() || opens { None } else { meta.protocol_version() };
        let is_modern = named.as_ref().is_some_and(|version| !version.has_initialize());
        let is_discovery = matches!(params, Params::Discover);
        let described = !opens && (is_modern || settled.is_none() || is_discovery);
        let supported = ProtocolVersion::KNOWN_VERSIONS;
        if let Some(version) = named.as_ref().filter(|version| !supported.contains(version))
            && (settled.is_some() || handshake == Handshake::Described || is_described(meta))
        {
            return Err(ErrorData::unsupported_protocol_version(version.clone(), supported));
        }
        if described {
            let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
            if !missing.is_empty() {
                let missing = missing.join(", ");
                return Err(ErrorData::invalid_params(
                    format!("request _meta is missing or has malformed required fields: {missing}"),
                    None,
                ));
            }
            if !is_discovery {
                session.connection.set_described();
            }
        }
        let version = named.as_ref().or(settled);
        let in_session = !described && version.is_none_or(ProtocolVersion::has_initialize);
        let era = version.map_or(Era::Legacy, Era::from_version);
        let is_forgotten = in_session && matches!(handshake, Handshake::Without(_));
        Ok(Self { era, described, in_session, is_forgotten })
    }

    /// Returns the client that the request describes, with data from the handshake for missing fields.
    pub(super) fn find_client(
        &self,
        session: &Session,
        meta: &RequestMetaObject,
    ) -> Arc<ClientDescription> {
        let asks_session = !self.described && self.era == Era::Legacy;
        let known = if asks_session { session.connection.client() } else { None };
        if meta.is_empty() {
            return known.unwrap_or_else(ClientDescription::unknown);
        }
        ClientDescription::from_request(meta, known.as_ref())
    }
}

/// Returns whether the `_meta` of a request contains the data that a handshake would otherwise declare.
fn is_described(meta: &RequestMetaObject) -> bool {
    meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
}
