//! The requests of one server: each with the headers of its caller and with access.

use std::collections::HashMap;
use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, GetExtensions};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};

use super::endpoint::RequestHeaders;
use super::failure::{At, Failure};
use super::transport::{Events, Link};
use super::uncorrelated::{correlated, request_id};
use crate::error::ErrorKind;
use crate::mcp::host::transport::oauth::{Authorizer, Challenge};

/// The longest event where nobody says another limit; rmcp always says one.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// How often one request may lead to new access. Default is 3: renewed, given again, widened.
const MAX_ROUNDS: usize = 3;

type Headers = HashMap<HeaderName, HeaderValue>;
type Outcome<T> = Result<T, StreamableHttpError<Failure>>;
type Answer<T> = Result<T, StreamableHttpError<reqwest::Error>>;

/// Sends the requests of one server.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) http: reqwest::Client,
    /// The address without secrets, for messages.
    pub(crate) target: Arc<str>,
    pub(crate) authorizer: Option<Arc<Authorizer>>,
    /// Whether every request says who asks.
    pub(crate) credentials: bool,
    /// The connection that the requests belong to.
    pub(crate) link: Link,
}

/// What may be done for a request that was refused.
#[derive(Clone, Copy, PartialEq)]
enum Effort {
    /// Nothing: the connection is ending.
    None,
    /// Access may be renewed, but no person is asked: nobody waits for what is sent.
    Renewal,
    /// A person may be asked, also for more access than before.
    Person,
}

impl Wire {
    /// Sends with access, and again with new access where the server asks for it.
    async fn authorized<T, F, Fut>(
        &self,
        effort: Effort,
        session: bool,
        headers: &Headers,
        send: F,
    ) -> Outcome<T>
    where
        F: Fn(Option<String>) -> Fut,
        Fut: Future<Output = Answer<T>>,
    {
        let own = headers.contains_key(&AUTHORIZATION);
        let Some(authorizer) = self.authorizer.as_ref().filter(|_| !own) else {
            return send(None).await.map_err(|error| self.failed(error, effort, session, own));
        };
        let mut token = match effort {
            Effort::None => authorizer.held(),
            _ => authorizer.token().await.map_err(StreamableHttpError::Client)?,
        };
        let mut rounds = 0;
        let mut fresh = false;
        loop {
            let error = match send(token.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let challenge = Challenge::of(&error).filter(|challenge| match challenge {
                // What was given a moment ago and is refused will be refused again.
                Challenge::Access { .. } => effort != Effort::None && !fresh,
                Challenge::Wider { .. } => effort == Effort::Person,
            });
            let Some(challenge) = challenge.filter(|_| rounds < MAX_ROUNDS) else {
                return Err(self.failed(error, effort, session, own));
            };
            rounds += 1;
            let renewed = match authorizer.renew(challenge, token, effort == Effort::Person).await {
                Ok(renewed) => renewed,
                // rmcp gives up a stream that wants access, and would try again after all else.
                Err(_) if effort == Effort::Renewal => return Err(wants_access(&error)),
                Err(failure) => return Err(StreamableHttpError::Client(failure)),
            };
            fresh = renewed.fresh;
            token = Some(renewed.token);
        }
    }

    /// The failure in our words. What rmcp acts on stays what it is.
    fn failed(
        &self,
        error: StreamableHttpError<reqwest::Error>,
        effort: Effort,
        session: bool,
        own: bool,
    ) -> StreamableHttpError<Failure> {
        match error {
            error if effort == Effort::Renewal && Challenge::of(&error).is_some() => {
                wants_access(&error)
            }
            StreamableHttpError::ServerDoesNotSupportSse => {
                StreamableHttpError::ServerDoesNotSupportSse
            }
            StreamableHttpError::ServerDoesNotSupportDeleteSession => {
                StreamableHttpError::ServerDoesNotSupportDeleteSession
            }
            error => {
                let at = At { target: &self.target, session };
                let unknown = matches!(Challenge::of(&error), Some(Challenge::Access { .. }));
                let failure = if unknown { self.no_access(own) } else { at.transport(&error) };
                StreamableHttpError::Client(failure)
            }
        }
    }

    fn no_access(&self, own: bool) -> Failure {
        let target = &self.target;
        let text = if own || self.credentials {
            format!(
                "{target} does not take the authorization that it was sent (HTTP 401): check the \
                 token of `.bearer(..)`, or what the headers say"
            )
        } else if self.authorizer.is_some() {
            format!("{target} refuses also the access that it has just been asked for (HTTP 401)")
        } else {
            format!(
                "{target} wants authorization (HTTP 401): give its server a token with \
                 `.bearer(..)`, or let it get one with `.oauth(..)`"
            )
        };
        Failure::new(ErrorKind::Unauthenticated, text)
    }
}

/// The refusal of a stream.
fn wants_access(error: &StreamableHttpError<reqwest::Error>) -> StreamableHttpError<Failure> {
    let header = Challenge::of(error).and_then(|challenge| challenge.header().map(str::to_owned));
    StreamableHttpError::AuthRequired(AuthRequiredError::new(header.unwrap_or_default()))
}

/// Adds what the caller of this message wants to be sent.
fn with_caller(message: &ClientJsonRpcMessage, mut headers: Headers) -> Outcome<Headers> {
    let ClientJsonRpcMessage::Request(request) = message else {
        return Ok(headers);
    };
    let Some(RequestHeaders(made)) = request.request.extensions().get() else {
        return Ok(headers);
    };
    let made = made.as_ref().map_err(|fault| {
        let failure = Failure::new(ErrorKind::InvalidArgument, fault.clone()).unsent();
        StreamableHttpError::Client(failure)
    })?;
    headers.extend(made.iter().map(|(name, value)| (name.clone(), value.clone())));
    Ok(headers)
}

impl StreamableHttpClient for Wire {
    type Error = Failure;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Outcome<StreamableHttpPostResponse> {
        let limit = MAX_EVENT_BYTES;
        self.post_message_with_max_sse_event_size(uri, message, session, auth, headers, limit).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _auth: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Outcome<StreamableHttpPostResponse> {
        let headers = with_caller(&message, headers)?;
        let (http, headers) = (&self.http, &headers);
        let sent = self.authorized(Effort::Person, session.is_some(), headers, |token| {
            http.post_message_with_max_sse_event_size(
                Arc::clone(&uri),
                message.clone(),
                session.clone(),
                token,
                headers.clone(),
                limit,
            )
        });
        let answer = self.link.unless_closed(sent).await?;
        let at = At { target: &self.target, session: session.is_some() };
        correlated(answer, request_id(&message).as_ref(), at)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _auth: Option<String>,
        headers: Headers,
    ) -> Outcome<()> {
        let (http, headers) = (&self.http, &headers);
        self.authorized(Effort::None, true, headers, |token| {
            http.delete_session(Arc::clone(&uri), Arc::clone(&session), token, headers.clone())
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Outcome<Events> {
        let limit = MAX_EVENT_BYTES;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, limit)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _auth: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Outcome<Events> {
        if self.link.has_no_streams() {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        let (http, headers) = (&self.http, &headers);
        let sent = self.authorized(Effort::Renewal, session.is_some(), headers, |token| {
            http.get_stream_with_max_sse_event_size(
                Arc::clone(&uri),
                session.clone(),
                last_event.clone(),
                token,
                headers.clone(),
                limit,
            )
        });
        Ok(self.link.counted(self.link.unless_closed(sent).await?))
    }
}
