//! GET and DELETE: the streams of a session, and its end.

use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answering::is_primed;
use super::answers;
use super::endpoint::{EndpointState, RequestSender};
use super::names::LAST_EVENT;
use super::refusal::HttpRefusal;
use super::rules::{Rules, accepts_events, rules_of_head};
use super::sessions::SessionInUse;
use super::standing::STANDING;
use super::streams::{AnswerBody, EventId, Events, priming};

impl EndpointState {
    /// Opens a stream of a session: its stream for notifications, or the rest of an interrupted one.
    pub(super) async fn get(
        &self,
        headers: &HeaderMap,
        sender: &RequestSender<'_>,
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
                Some(stream) => answers::events(
                    Events::new(stream, last.index, session.ended())
                        .until(sender.expiry)
                        .keeping(session),
                ),
                None => self.resume(session, last, sender.expiry).await?,
            }),
            None => stand(session, last.map(|last| last.index), sender.expiry),
        }
    }

    /// Ends a session. Returns 404 if it does not exist.
    pub(super) async fn delete(
        &self,
        headers: &HeaderMap,
        sender: &RequestSender<'_>,
    ) -> Result<Response<AnswerBody>, HttpRefusal> {
        let Some(sessions) = &self.sessions else { return Err(HttpRefusal::Method("POST")) };
        check_head(headers)?;
        let session = self.session(headers, sender).await?;
        sessions.end(session.id());
        self.forget(session.id()).await;
        Ok(answers::empty(StatusCode::NO_CONTENT))
    }
}

/// Only the older protocols have these methods.
fn check_head(headers: &HeaderMap) -> Result<(), HttpRefusal> {
    match rules_of_head(headers) {
        Ok(Rules::Handshake(_)) => Ok(()),
        Ok(Rules::Described) => Err(HttpRefusal::Method("POST")),
        Err(fault) => Err(HttpRefusal::Header { id: None, fault }),
    }
}

/// Opens the stream that belongs to no request.
fn stand(
    session: SessionInUse,
    last: Option<u64>,
    expiry: Option<Instant>,
) -> Result<Response<AnswerBody>, HttpRefusal> {
    let counted = session.session.quota().stream().map_err(|_| HttpRefusal::TooManyStreams)?;
    let standing = Arc::clone(session.standing());
    let (stream, end) = (Arc::clone(&standing.stream), session.ended());
    let index = last.unwrap_or_else(|| stream.read());
    let before = is_primed(&session.session).then(|| priming(EventId { stream: STANDING, index }));
    let events = Events::new(stream, index, end.clone()).until(expiry).after(before).staying();
    let driver = Box::pin(standing.tell((session, counted)));
    Ok(answers::events(events.driven(driver, Some(CancellationToken::new()))))
}
