//! Finds the session of a request in this process or in the store.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use rmcp::model::{ClientCapabilities, Implementation, ProtocolVersion};
use serde::Deserialize as _;
use tokio_util::sync::CancellationToken;

use super::super::SESSION;
use crate::engine::{Action, Message, Outlet, Request};
use crate::http::endpoint::{EndpointState, RequestSender};
use crate::http::rejection::HttpRejection;
use crate::http::session_store::{STORE_TIMEOUT, SessionStore, StoredClient, StoredSession};
use crate::http::sessions::{Owner, SessionId, SessionInUse, SessionTable};
use crate::principal::RequestHead;
use crate::session::{ClientDescription, Handshake, Session};
use genkit_core::Result as StoreResult;
use genkit_core::internal::visible::Logged;
use genkit_mcp::internal::level;

/// The interval between sweeps of the session store. Default is 60 seconds.
const SWEEP: Duration = Duration::from_secs(60);

impl EndpointState {
    /// Returns the session store, if there is one. The first call starts its periodic sweep.
    pub(in crate::http) fn stored_sessions(&self) -> Option<&Arc<dyn SessionStore>> {
        let store = self.store.as_ref()?;
        self.swept.call_once(|| sweep_later(Arc::clone(store), self.end.clone()));
        Some(store)
    }

    /// Returns the session that a request names, if the sender of the request owns it.
    pub(in crate::http) async fn find_session(
        &self,
        headers: &HeaderMap,
        sender: &RequestSender<'_>,
    ) -> Result<SessionInUse, HttpRejection> {
        let Some(sessions) = &self.sessions else { return Err(HttpRejection::SessionNotFound) };
        let mut named = headers.get_all(SESSION).iter();
        let named = match (named.next(), named.next()) {
            (Some(named), None) => named.to_str().ok(),
            (None, _) => return Err(HttpRejection::SessionNeeded),
            (Some(_), Some(_)) => None,
        };
        let id = named.and_then(|named| named.parse::<SessionId>().ok());
        let id = id.ok_or(HttpRejection::SessionNotFound)?;
        if let Some(found) = sessions.find_session(id, &sender.owner) {
            found.session.set_visibility(sender.visibility.clone());
            return Ok(found);
        }
        if sessions.has_session(id) {
            return Err(HttpRejection::ForeignSession);
        }
        self.restore_session(sessions, id, sender).await
    }

    /// Restores a session that another process stored.
    async fn restore_session(
        &self,
        sessions: &Arc<SessionTable>,
        id: SessionId,
        sender: &RequestSender<'_>,
    ) -> Result<SessionInUse, HttpRejection> {
        let Some(store) = self.stored_sessions() else {
            return Err(HttpRejection::SessionNotFound);
        };
        let named = id.to_string();
        let loading = tokio::time::timeout(STORE_TIMEOUT, store.load(&named));
        let stored = match loading.await {
            Ok(Ok(Some(stored))) => stored,
            Ok(Ok(None)) => return Err(HttpRejection::SessionNotFound),
            Ok(Err(error)) => {
                tracing::error!(error = %Logged::text(error.chain()), "cannot load a session");
                return Err(HttpRejection::StoreFailed);
            }
            Err(_) => return Err(HttpRejection::StoreFailed),
        };
        if parse_owner(&stored) != Some(sender.owner) {
            return Err(HttpRejection::ForeignSession);
        }
        let room = sessions.make_room(&self.engine.shared.quotas, &sender.client);
        let (quota, counted) = room.ok_or(HttpRejection::TooManySessions)?;
        let session = Arc::new(Session::new(quota, Some(counted)));
        session.set_visibility(sender.visibility.clone());
        session.connection.number_at_random();
        if !apply_stored(&stored, &session) {
            return Err(HttpRejection::SessionNotFound);
        }
        let used = sessions
            .open_session(id, sender.owner, session)
            .ok_or(HttpRejection::SessionNotFound)?;
        if stored.ready {
            self.make_ready(&used, sender);
        }
        Ok(used)
    }

    /// Initializes the session as if its client had sent `notifications/initialized`.
    fn make_ready(&self, used: &SessionInUse, sender: &RequestSender<'_>) {
        let request = Request::new(
            &used.session,
            Outlet::new(Arc::clone(&used.standalone_stream().stream) as _),
            RequestHead::default(),
            &sender.client,
            CancellationToken::new(),
        );
        let ready =
            Message::Notification { method: "notifications/initialized".into(), params: None };
        if let Action::Changes(changes) = self.engine.handle_message(ready, request) {
            used.standalone_stream().set_changes(changes);
            used.mark_ready();
        }
    }

    /// Stores a session, if there is a store.
    pub(in crate::http) async fn save_session(&self, used: &SessionInUse) {
        let Some(store) = self.stored_sessions() else { return };
        let Some(stored) = to_stored(&used.session, used.owner(), used.is_ready()) else {
            return;
        };
        let id = used.id().to_string();
        log_failure(tokio::time::timeout(STORE_TIMEOUT, store.save(&id, stored)).await);
        if used.has_ended() {
            // The session ended in the meantime and must not be restored.
            self.forget_session(used.id()).await;
        }
    }

    pub(in crate::http) async fn forget_session(&self, id: SessionId) {
        let Some(store) = self.stored_sessions() else { return };
        let id = id.to_string();
        log_failure(tokio::time::timeout(STORE_TIMEOUT, store.delete(&id)).await);
    }
}

/// Sweeps a store periodically, until the server ends.
fn sweep_later(store: Arc<dyn SessionStore>, end: CancellationToken) {
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(SWEEP) => {}
                () = end.cancelled() => return,
            }
            if let Err(error) = store.sweep().await {
                let error = Logged::text(error.chain());
                tracing::warn!(%error, "cannot remove expired sessions from the store");
            }
        }
    });
}

fn log_failure(stored: std::result::Result<StoreResult<()>, tokio::time::error::Elapsed>) {
    match stored {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(error = %Logged::text(error.chain()), "cannot update a session in the store");
        }
        Err(_) => tracing::error!("the session store timed out"),
    }
}

/// Returns the part of a session that is stored; `None` if the handshake is not complete.
fn to_stored(session: &Session, owner: Owner, ready: bool) -> Option<StoredSession> {
    let Handshake::Initialized(version) = session.connection.handshake() else { return None };
    let client = session.connection.client();
    let calls_itself = client.as_ref().and_then(|client| client.reported_name());
    let capabilities = client.as_ref().map(|client| client.capabilities.clone());
    Some(StoredSession {
        protocol_version: version.as_str().to_owned(),
        owner: owner.0.map(|hash| hash.iter().map(|byte| format!("{byte:02x}")).collect()),
        client: calls_itself.map(|(name, version)| StoredClient {
            name: name.to_owned(),
            version: version.to_owned(),
        }),
        capabilities: capabilities.unwrap_or_default().into(),
        level: level::to_mcp(session.level()),
        subscriptions: session.with_subscriptions(|uris| uris.iter().cloned().collect()),
        ready,
        opened_by: Some(session.quota().client().key().clone()),
    })
}

/// Returns the owner of a stored session, or `None` if it is not valid.
fn parse_owner(stored: &StoredSession) -> Option<Owner> {
    let Some(hash) = &stored.owner else { return Some(Owner(None)) };
    let mut bytes = [0; 32];
    if hash.len() != 64 || !hash.is_ascii() {
        return None;
    }
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hash[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(Owner(Some(bytes)))
}

/// Applies a stored session to a new session. Returns `false` if the stored version is unknown, or if the subscriptions
/// exceed the limits of the new session.
fn apply_stored(stored: &StoredSession, session: &Session) -> bool {
    let versions = ProtocolVersion::KNOWN_VERSIONS.iter();
    let version = versions.clone().find(|it| it.as_str() == stored.protocol_version);
    let Some(version) = version.filter(|it| it.has_initialize()) else { return false };
    let capabilities = ClientCapabilities::deserialize(&stored.capabilities).unwrap_or_default();
    let info = stored.client.as_ref().map(|it| Implementation::new(&it.name, &it.version));
    let client = ClientDescription::new(info.as_ref(), &capabilities);
    session.connection.set_initialized(version.clone(), client);
    session.set_level(level::from_mcp(stored.level));
    stored.subscriptions.iter().all(|uri| session.subscribe(uri).is_ok())
}
