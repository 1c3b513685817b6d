//! POST: handles one message and sends its response.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use hyper::body::Body;
use tokio_util::sync::CancellationToken;

use super::SESSION;
use super::endpoint::{EndpointState, RequestSender};
use super::message::{MessageSession, Outline, message_in};
use super::pending_response::PendingResponse;
use super::rejection::HttpRejection;
use super::responses;
use super::rules::{HeaderError, RequestOutline, Rules, check_standard, find_rules};
use super::running_call::RunningCall;
use super::sessions::SessionId;
use super::streams::{AnswerBody, EventStream, Events};
use crate::engine::{self, Action, ListenStream, Outlet, Outward as _, Reply};
use crate::principal::{Principal, RequestHead};
use crate::session::Session;
use genkit_http_server::internal::{accepts_type, content_encoding, is_json, read_body};

impl EndpointState {
    pub(super) async fn handle_post<B>(
        &self,
        request: Request<B>,
        sender: &RequestSender<'_>,
    ) -> Result<Response<AnswerBody>, HttpRejection>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        if !accepts_type(request.headers(), "application/json") {
            return Err(HttpRejection::NotAcceptable);
        }
        if !is_json(request.headers()) {
            return Err(HttpRejection::NotJson);
        }
        if let Some(encoding) = content_encoding(request.headers()) {
            return Err(HttpRejection::Encoding(encoding));
        }
        let accepts_events = accepts_type(request.headers(), "text/event-stream");
        let counts = self.drain.count_request();
        let (parts, body) = request.into_parts();
        let body = read_body(body, self.max_body, &self.room, sender.address).await?;
        let memory = self.memory.take_memory(sender.client.key().clone(), body.bytes.len());
        let memory = memory.map_err(|_| HttpRejection::Busy)?;
        sender.mark_received();
        let message = message_in(&body.bytes)?;
        let outline = Outline::from_message(&message);
        let principal = parts.extensions.get();
        let rules = self
            .checked_rules(&parts.headers, outline.request_outline(), principal)
            .map_err(|fault| HttpRejection::Header { id: outline.id.cloned(), fault })?;
        if let (Some(method), Some(id)) = (outline.method, outline.id) {
            self.check_scopes(method, id, &outline.params, principal)?;
        }
        let is_described = rules == Rules::Described;
        let lacks_meta = is_described && !outline.params.is_described();
        let changes_session = outline.changes_session();
        let found =
            self.session_for_message(&message, &outline, rules, &parts.headers, sender).await?;
        let session = found.session();
        let (opened, used) = match found {
            MessageSession::Existing(used) => (None, Some(used)),
            MessageSession::New(session) => (Some(session), None),
            MessageSession::Temporary(_) => (None, None),
        };
        let answering = PendingResponse {
            stream: Arc::default(),
            cancel: CancellationToken::new(),
            session: used,
            counts,
            accepts_events,
            is_described,
            lacks_meta,
            expiry: sender.expiry,
            _memory: memory,
        };
        let request = engine::Request::new(
            &session,
            Outlet::new(Arc::clone(&answering.stream) as _),
            RequestHead::for_http(parts.headers, parts.extensions),
            &sender.client,
            answering.cancel.clone(),
        );
        let action = self.engine.handle_message(message, request);
        // The body is no longer needed while the request runs.
        drop(body);
        drop(session);
        if let Some(session) = opened {
            return self.keep_session(session, action, answering, sender).await;
        }
        if changes_session
            && let (Action::Reply(reply), Some(used)) = (&action, &answering.session)
            && reply.error.is_none()
        {
            self.save_session(used).await;
        }
        Ok(self.perform_action(action, answering).await)
    }

    /// Determines the rules of a message, and checks that its headers follow them.
    fn checked_rules(
        &self,
        headers: &HeaderMap,
        asked: RequestOutline<'_>,
        principal: Option<&Principal>,
    ) -> Result<Rules, HeaderError> {
        let rules = find_rules(headers, asked)?;
        let shared = &self.engine.shared;
        let caller = shared.caller_for(principal);
        // The required headers must not reveal that a tool hidden from the caller exists.
        let parameters = |name: &str| match shared.find_tool(name, &caller) {
            Ok(_) => self.parameters.for_tool(shared, name),
            Err(_) => Arc::default(),
        };
        check_standard(headers, asked, parameters).map(|()| rules)
    }

    /// Responds to a handshake, and stores the session that it opened.
    async fn keep_session(
        &self,
        session: Arc<Session>,
        action: Action,
        mut answering: PendingResponse,
        sender: &RequestSender<'_>,
    ) -> Result<Response<AnswerBody>, HttpRejection> {
        let succeeded = matches!(&action, Action::Reply(Reply { error: None, .. }));
        let Some(sessions) = self.sessions.as_ref().filter(|_| succeeded) else {
            return Ok(self.perform_action(action, answering).await);
        };
        let id = SessionId::new();
        session.set_visibility(sender.visibility.clone());
        if self.store.is_some() {
            session.connection.number_at_random();
        }
        let used = sessions.open_session(id, sender.owner, session);
        let used = used.ok_or(HttpRejection::SessionNotFound)?;
        self.save_session(&used).await;
        answering.session = Some(used);
        let mut response = self.perform_action(action, answering).await;
        if let Ok(id) = HeaderValue::try_from(id.to_string()) {
            response.headers_mut().insert(SESSION, id);
        }
        Ok(response)
    }

    async fn perform_action(
        &self,
        action: Action,
        mut answering: PendingResponse,
    ) -> Response<AnswerBody> {
        match action {
            Action::Accepted => responses::empty_response(StatusCode::ACCEPTED),
            Action::Changes(changes) => {
                if let Some(session) = &answering.session {
                    session.standalone_stream().set_changes(changes);
                    session.mark_ready();
                    self.save_session(session).await;
                }
                responses::empty_response(StatusCode::ACCEPTED)
            }
            Action::Reply(reply) => answering.response_to(reply),
            Action::Run(call) => {
                let now = self.sessions.as_ref().map_or(0, |sessions| sessions.now_ms());
                let end = match &answering.session {
                    Some(session) => session.end_token(),
                    None => self.end.clone(),
                };
                RunningCall::new(call, answering).answer_call(now, end, self.store.as_ref()).await
            }
            Action::Listen(_) if !answering.accepts_events => {
                HttpRejection::EventsNotAccepted.into_response()
            }
            Action::Listen(listen) => {
                let stream = std::mem::take(&mut answering.stream);
                let driver = send_notifications(*listen, Arc::clone(&stream), self.end.clone());
                let events = Events::new(stream, 0, self.end.clone()).with_expiry(answering.expiry);
                responses::event_response(
                    events.with_driver(Box::pin(driver), Some(answering.cancel.clone())),
                )
            }
        }
    }
}

/// Sends the notifications that a client listens to, until the client or the server ends the stream.
async fn send_notifications(
    mut listen: ListenStream,
    stream: Arc<EventStream>,
    end: CancellationToken,
) {
    loop {
        let next = tokio::select! {
            next = listen.next() => next,
            () = end.cancelled() => None,
        };
        let Some(message) = next else { break };
        if !stream.send_line(message).await {
            return;
        }
    }
    let last = listen.finish();
    stream.finish_stream(last.as_ref().map(|reply| &reply.bytes));
}
