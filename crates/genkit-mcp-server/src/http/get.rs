//! GET opens a stream of a session, and DELETE ends the session.

use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::LAST_EVENT;
use super::endpoint::{EndpointState, RequestSender};
use super::pending_response::is_primed;
use super::rejection::HttpRejection;
use super::responses;
use super::rules::{Rules, rules_of_head};
use super::sessions::SessionInUse;
use super::standalone_stream::STANDALONE_NUMBER;
use super::streams::{AnswerBody, EventId, Events, priming_event};
use genkit_http_server::internal::accepts_type;

impl EndpointState {
    /// Opens a stream of a session: the stream for notifications, or the rest of an interrupted stream.
    pub(super) async fn handle_get(
        &self,
        headers: &HeaderMap,
        sender: &RequestSender<'_>,
    ) -> Result<Response<AnswerBody>, HttpRejection> {
        if self.sessions.is_none() {
            return Err(HttpRejection::Method("POST"));
        }
        if !accepts_type(headers, "text/event-stream") {
            return Err(HttpRejection::EventsNotAccepted);
        }
        check_head(headers)?;
        let session = self.find_session(headers, sender).await?;
        let last = match headers.get(LAST_EVENT) {
            None => None,
            Some(last) => match last.to_str().ok().and_then(|last| last.parse::<EventId>().ok()) {
                Some(last) => Some(last),
                None => return Ok(responses::empty_event_stream()),
            },
        };
        match last.filter(|last| last.stream != STANDALONE_NUMBER) {
            Some(last) => Ok(match session.find_stream(last.stream) {
                Some(stream) => responses::event_response(
                    Events::new(stream, last.index, session.end_token())
                        .with_expiry(sender.expiry)
                        .with_kept(session),
                ),
                None => self.resume(session, last, sender.expiry).await?,
            }),
            None => open_standalone(session, last.map(|last| last.index), sender.expiry),
        }
    }

    /// Ends a session. Returns 404 if it does not exist.
    pub(super) async fn handle_delete(
        &self,
        headers: &HeaderMap,
        sender: &RequestSender<'_>,
    ) -> Result<Response<AnswerBody>, HttpRejection> {
        let Some(sessions) = &self.sessions else { return Err(HttpRejection::Method("POST")) };
        check_head(headers)?;
        let session = self.find_session(headers, sender).await?;
        sessions.end_session(session.id());
        self.forget_session(session.id()).await;
        Ok(responses::empty_response(StatusCode::NO_CONTENT))
    }
}

/// Checks the headers; GET and DELETE exist only in older protocol versions.
fn check_head(headers: &HeaderMap) -> Result<(), HttpRejection> {
    match rules_of_head(headers) {
        Ok(Rules::Handshake(_)) => Ok(()),
        Ok(Rules::Described) => Err(HttpRejection::Method("POST")),
        Err(fault) => Err(HttpRejection::Header { id: None, fault }),
    }
}

/// Opens the stream that does not belong to a request.
fn open_standalone(
    session: SessionInUse,
    last: Option<u64>,
    expiry: Option<Instant>,
) -> Result<Response<AnswerBody>, HttpRejection> {
    let counted =
        session.session.quota().open_stream().map_err(|_| HttpRejection::TooManyStreams)?;
    let standing = Arc::clone(session.standalone_stream());
    let (stream, end) = (Arc::clone(&standing.stream), session.end_token());
    let index = last.unwrap_or_else(|| stream.read());
    let before = is_primed(&session.session)
        .then(|| priming_event(EventId { stream: STANDALONE_NUMBER, index }));
    let events =
        Events::new(stream, index, end.clone()).with_expiry(expiry).with_first(before).stay_open();
    let driver = Box::pin(standing.send_changes((session, counted)));
    Ok(responses::event_response(events.with_driver(driver, Some(CancellationToken::new()))))
}
