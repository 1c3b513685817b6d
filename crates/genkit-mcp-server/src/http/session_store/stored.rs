//! The stored form of a session.

#![allow(deprecated, reason = "SEP-2577 deprecates logging, which current clients still use")]

use std::sync::Arc;

use rmcp::model::LoggingLevel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::quota::ClientKey;

/// A session as saved in a [`SessionStore`](super::SessionStore): the result of the client's handshake, its log level
/// and subscriptions, and a hash of the principal that owns the session. Stores save a session as JSON and do not need
/// to interpret it.
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
    pub(crate) protocol_version: String,
    /// The hash of the principal, in hexadecimal.
    pub(crate) owner: Option<String>,
    pub(crate) client: Option<StoredClient>,
    pub(crate) capabilities: Value,
    pub(crate) level: LoggingLevel,
    pub(crate) subscriptions: Vec<Arc<str>>,
    pub(crate) ready: bool,
    /// The client that opened the session. A full [`MemorySessions`](super::MemorySessions) evicts a session of the client
    /// with the most sessions. This field is not stored.
    #[serde(skip)]
    pub(crate) opened_by: Option<ClientKey>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredClient {
    pub(crate) name: String,
    pub(crate) version: String,
}
