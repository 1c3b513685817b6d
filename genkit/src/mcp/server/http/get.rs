//! GET and DELETE: streams of a session, and its end.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Response, StatusCode};
use tokio_util::sync::CancellationToken;

use super::endpoint::{EndpointState, Sender};
use super::post::is_primed;
use super::refusal::HttpRefusal;
use super::rules::{Rules, accepts_events, rules_of_head};
use super::sessions::{SessionId, SessionInUse, SessionTable};
use super::standing::STANDING;
use super::store::StoredSession;
use super::streams::{AnswerBody, EventId, Events, priming};
use super::{SESSION, answers};
use crate::error::Result as StoreResult;
use crate::mcp::server::engine::{Action, Incoming, Origin, Outlet};
use crate::mcp::server::principal::HttpHead;
use crate::mcp::server::session::Session;
use crate::visible::Logged;

/// The header that names the last event that a client has.
const LAST_EVENT: &str = "last-event-id";

/// How long a store of sessions may take. Default is 5 seconds.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

impl EndpointState {
    /// A stream of a session: the one that belongs to no request, or the rest of one that broke off.
    pub(super) async fn get(
        &self,
        headers: &HeaderMap,
        sender: &Sender<'_>,
    ) -> Result<Response<AnswerBody>, HttpRefusal> {
        if self.sessions.is_none() {
            return Err(HttpRefusal::Method("POST"));
        }
        if !accepts_events(headers) {
            return Err(HttpRefusal::NoEvents);
        }
        check_head(headers)?;
        let session = self.session(headers, sender).await?;
        let last = match headers.get(LAST_EVENT) {
            None => None,
            Some(last) => match last.to_str().ok().and_then(|last| last.parse::<EventId>().ok()) {
                Some(last) => Some(last),
                None => return Ok(answers::no_events()),
            },
        };
        match last.filter(|last| last.stream != STANDING) {
            Some(last) => Ok(match session.stream(last.stream) {
                Some(stream) => {
                    answers::events(Events::new(stream, last.index, session.ended()).of(session))
                }
                None => answers::no_events(),
            }),
            None => stand(session, last.map(|last| last.index)),
        }
    }

    /// The end of a session; one that is not there is not found.
    pub(super) async fn delete(
        &self,
        headers: &HeaderMap,
        sender: &Sender<'_>,
    ) -> Result<Response<AnswerBody>, HttpRefusal> {
        let Some(sessions) = &self.sessions else { return Err(HttpRefusal::Method("POST")) };
        check_head(headers)?;
        let session = self.session(headers, sender).await?;
        sessions.end(session.id());
        self.forget(session.id()).await;
        Ok(answers::empty(StatusCode::NO_CONTENT))
    }

    /// The session that a request names, which its sender opened.
    pub(super) async fn session(
        &self,
        headers: &HeaderMap,
        sender: &Sender<'_>,
    ) -> Result<SessionInUse, HttpRefusal> {
        let Some(sessions) = &self.sessions else { return Err(HttpRefusal::NoSuchSession) };
        let mut named = headers.get_all(SESSION).iter();
        let named = match (named.next(), named.next()) {
            (Some(named), None) => named.to_str().ok(),
            (None, _) => return Err(HttpRefusal::SessionNeeded),
            (Some(_), Some(_)) => None,
        };
        let id = named.and_then(|named| named.parse::<SessionId>().ok());
        let id = id.ok_or(HttpRefusal::NoSuchSession)?;
        if let Some(found) = sessions.find(id, &sender.owner) {
            return Ok(found);
        }
        if sessions.contains(id) {
            return Err(HttpRefusal::OthersSession);
        }
        self.restored(sessions, id, sender).await
    }

    /// A session that another process left.
    async fn restored(
        &self,
        sessions: &Arc<SessionTable>,
        id: SessionId,
        sender: &Sender<'_>,
    ) -> Result<SessionInUse, HttpRefusal> {
        let Some(store) = &self.store else { return Err(HttpRefusal::NoSuchSession) };
        let named = id.to_string();
        let loading = tokio::time::timeout(STORE_TIMEOUT, store.load(&named));
        let stored = match loading.await {
            Ok(Ok(Some(stored))) => stored,
            Ok(Ok(None)) => return Err(HttpRefusal::NoSuchSession),
            Ok(Err(error)) => {
                tracing::error!(error = %Logged::text(error.chain()), "a session cannot be loaded");
                return Err(HttpRefusal::NoStore);
            }
            Err(_) => return Err(HttpRefusal::NoStore),
        };
        if stored.owner() != Some(sender.owner) {
            return Err(HttpRefusal::OthersSession);
        }
        let room = sessions.make_room(&self.engine.shared.quotas, &sender.client);
        let (quota, counted) = room.ok_or(HttpRefusal::TooManySessions)?;
        let session = Arc::new(Session::new(quota, Some(counted)));
        if !stored.restore(&session) {
            return Err(HttpRefusal::NoSuchSession);
        }
        let used = sessions.open(id, sender.owner, session).ok_or(HttpRefusal::NoSuchSession)?;
        if stored.is_ready() {
            self.make_ready(&used, sender);
        }
        Ok(used)
    }

    /// As if its client had said that it is.
    fn make_ready(&self, used: &SessionInUse, sender: &Sender<'_>) {
        let origin = Origin {
            outlet: Outlet::new(Arc::clone(&used.standing().stream) as _),
            head: HttpHead::default(),
            client: Arc::clone(&sender.client),
            cancel: CancellationToken::new(),
        };
        let ready =
            Incoming::Notification { method: "notifications/initialized".into(), params: None };
        if let Action::Changes(changes) = self.engine.receive(&used.session, ready, origin) {
            used.standing().hear(changes);
            used.ready();
        }
    }

    /// Stores a session, where sessions are stored.
    pub(super) async fn save(&self, used: &SessionInUse) {
        let Some(store) = &self.store else { return };
        let Some(stored) = StoredSession::of(&used.session, used.owner(), used.is_ready()) else {
            return;
        };
        let id = used.id().to_string();
        log(tokio::time::timeout(STORE_TIMEOUT, store.save(&id, stored)).await);
        if used.has_ended() {
            // It was ended meanwhile, and must not come back.
            self.forget(used.id()).await;
        }
    }

    async fn forget(&self, id: SessionId) {
        let Some(store) = &self.store else { return };
        let id = id.to_string();
        log(tokio::time::timeout(STORE_TIMEOUT, store.delete(&id)).await);
    }
}

fn log(stored: std::result::Result<StoreResult<()>, tokio::time::error::Elapsed>) {
    match stored {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(error = %Logged::text(error.chain()), "a session cannot be stored");
        }
        Err(_) => tracing::error!("the store of sessions takes too long"),
    }
}

/// Only the older protocols have what these methods are for.
fn check_head(headers: &HeaderMap) -> Result<(), HttpRefusal> {
    match rules_of_head(headers) {
        Ok(Rules::Handshake(_)) => Ok(()),
        Ok(Rules::Described) => Err(HttpRefusal::Method("POST")),
        Err(fault) => Err(HttpRefusal::Header { id: None, fault }),
    }
}

/// The stream that belongs to no request.
fn stand(session: SessionInUse, last: Option<u64>) -> Result<Response<AnswerBody>, HttpRefusal> {
    let counted = session.session.quota().stream().map_err(|_| HttpRefusal::TooManyStreams)?;
    let standing = Arc::clone(session.standing());
    let (stream, end) = (Arc::clone(&standing.stream), session.ended());
    let index = last.unwrap_or_else(|| stream.read());
    let before = is_primed(&session.session).then(|| priming(EventId { stream: STANDING, index }));
    let events = Events::new(stream, index, end.clone()).after(before).staying();
    let driver = Box::pin(standing.tell(session, counted));
    Ok(answers::events(events.driven(driver, Some(CancellationToken::new()))))
}
