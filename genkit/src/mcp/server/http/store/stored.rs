//! One session as it is stored.

#![allow(deprecated, reason = "SEP-2577 deprecates logging; clients of today have it")]

use std::sync::Arc;

use rmcp::model::{ClientCapabilities, Implementation, LoggingLevel, ProtocolVersion};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::Capability;
use crate::mcp::level;
use crate::mcp::server::http::sessions::Owner;
use crate::mcp::server::session::ClientDescription;
use crate::mcp::server::session::Handshake;
use crate::mcp::server::session::Session;

/// What is stored of a session: what its client settled, and a hash of the principal that it belongs
/// to. Stores keep it as JSON, and need not know what is in it.
///
/// ```
/// use genkit::mcp::server::StoredSession;
///
/// let stored = r#"{"protocolVersion":"2025-11-25","owner":null,"client":null,
///     "capabilities":{},"level":"info","subscriptions":[],"ready":true}"#;
/// let session: StoredSession = serde_json::from_str(stored)?;
/// assert_eq!(serde_json::to_value(&session)?, serde_json::from_str::<serde_json::Value>(stored)?);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredSession {
    protocol_version: String,
    /// The hash of the principal, in hexadecimal digits.
    owner: Option<String>,
    client: Option<StoredClient>,
    capabilities: Value,
    level: LoggingLevel,
    subscriptions: Vec<Arc<str>>,
    ready: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StoredClient {
    name: String,
    version: String,
}

impl StoredSession {
    /// What of a session is stored; nothing of one that did not settle its version.
    pub(in super::super) fn of(session: &Session, owner: Owner, ready: bool) -> Option<Self> {
        let Handshake::Initialized(version) = session.connection.handshake() else { return None };
        let client = session.connection.client();
        let calls_itself = client.as_ref().and_then(|client| client.calls_itself());
        let mut capabilities = json!({});
        for (capability, name) in [
            (Capability::Elicitation, "elicitation"),
            (Capability::Sampling, "sampling"),
            (Capability::Roots, "roots"),
        ] {
            if client.as_ref().is_some_and(|client| client.can(capability)) {
                capabilities[name] = json!({});
            }
        }
        Some(Self {
            protocol_version: version.as_str().to_owned(),
            owner: owner.0.map(|hash| hash.iter().map(|byte| format!("{byte:02x}")).collect()),
            client: calls_itself.map(|(name, version)| StoredClient {
                name: name.to_owned(),
                version: version.to_owned(),
            }),
            capabilities,
            level: level::to_mcp(session.level()),
            subscriptions: session.with_subscriptions(|uris| uris.iter().cloned().collect()),
            ready,
        })
    }

    /// Whose it is, if that can be read.
    pub(in super::super) fn owner(&self) -> Option<Owner> {
        let Some(hash) = &self.owner else { return Some(Owner(None)) };
        let mut bytes = [0; 32];
        if hash.len() != 64 || !hash.is_ascii() {
            return None;
        }
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hash[2 * place..2 * place + 2], 16).ok()?;
        }
        Some(Owner(Some(bytes)))
    }

    /// Whether its client was through with the handshake.
    pub(in super::super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// Settles in a new session what was settled in this one, within its bounds. Whether it can be.
    pub(in super::super) fn restore(&self, session: &Session) -> bool {
        let versions = ProtocolVersion::KNOWN_VERSIONS.iter();
        let version = versions.clone().find(|it| it.as_str() == self.protocol_version);
        let Some(version) = version.filter(|it| it.has_initialize()) else { return false };
        let capabilities = ClientCapabilities::deserialize(&self.capabilities).unwrap_or_default();
        let info = self.client.as_ref().map(|it| Implementation::new(&it.name, &it.version));
        let client = ClientDescription::new(info.as_ref(), &capabilities);
        session.connection.initialize(version.clone(), client);
        session.set_level(level::of_mcp(self.level));
        self.subscriptions.iter().all(|uri| session.subscribe(uri).is_ok())
    }
}
