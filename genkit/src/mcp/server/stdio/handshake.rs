//! The handshake of a session: what may pass before rmcp has settled it.

use rmcp::{
    RoleServer,
    model::{ClientRequest, ErrorCode, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId},
    service::TxJsonRpcMessage,
};

use super::message::ClientMessage;

/// Keeps everything but requests from rmcp's handshake, which ends the server at any of it.
#[derive(Debug, Default)]
pub(crate) enum HandshakePhase {
    /// No request has settled the session; pings, discoveries and refused requests do not.
    #[default]
    Waiting,
    /// This request settles it, unless its protocol version is refused.
    Trying(RequestId),
    /// The session is served: everything passes.
    Settled,
}

impl HandshakePhase {
    /// Whether rmcp can take the message now.
    pub(crate) fn admits(&mut self, message: &ClientMessage) -> bool {
        if matches!(self, Self::Settled) {
            return true;
        }
        let JsonRpcMessage::Request(request) = message else {
            return matches!(self, Self::Trying(_));
        };
        match &request.request {
            ClientRequest::InitializeRequest(_) => *self = Self::Settled,
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => {}
            other if describes_itself(other) => *self = Self::Trying(request.id.clone()),
            _ => {}
        }
        true
    }

    /// Learns from an answer whether the request that was tried settled the session.
    pub(crate) fn sent(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        let Self::Trying(tried) = self else { return };
        match message {
            JsonRpcMessage::Error(error) if error.id.as_ref() == Some(tried) => {
                let refused = error.error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
                *self = if refused { Self::Waiting } else { Self::Settled };
            }
            JsonRpcMessage::Response(response) if response.id == *tried => *self = Self::Settled,
            _ => {}
        }
    }
}

/// A request of the era without handshake carries in its `_meta` what a handshake would tell.
fn describes_itself(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
}
