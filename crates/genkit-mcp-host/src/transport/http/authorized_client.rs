//! The client of one server, which adds the caller's headers and the access token to requests.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response};
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, GetExtensions};
use rmcp::transport::common::http_header::HEADER_SESSION_ID;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};

use super::bounded;
use super::endpoint::RequestHeaders;
use super::post;
use super::request_scope::{EventStream, RequestScope};
use super::session_requests::{check_end_response, stream_request, stream_response};
use super::uncorrelated::{correlate_error, request_id};
use crate::transport::http_client::error::Error;
use crate::transport::http_client::error::HttpError;
use crate::transport::http_client::explain::RequestTarget;
use crate::transport::oauth::{Authorizer, Challenge, Dpop, refuses_proof, wants_nonce};
use crate::transport::redact::Redactor;
use crate::transport::stdio::pipe::ResultFormat;
use genkit_core::internal::telemetry::{TRACEPARENT, TRACESTATE};

/// How many times one request may obtain a new token. Default is 3: a renewed token, a newly granted one, and one with
/// more scopes.
const MAX_ROUNDS: usize = 3;

/// How many times a request is resent with a new DPoP nonce. Default is 3, because concurrent requests may use up a
/// nonce.
const MAX_NONCES: usize = 3;

type Headers = HashMap<HeaderName, HeaderValue>;
type StreamableResult<T, E = HttpError> = Result<T, StreamableHttpError<E>>;

/// Sends the requests to one server.
#[derive(Clone)]
pub(crate) struct AuthorizedClient {
    pub(crate) http: reqwest::Client,
    /// The URL without secrets, for messages.
    pub(crate) target: Arc<str>,
    pub(crate) authorizer: Option<Arc<Authorizer>>,
    /// Whether every request has an `authorization` header that the user set.
    pub(crate) credentials: bool,
    /// The maximum size of an event in a stream, in bytes.
    pub(crate) max_message: usize,
    /// Secrets of requests that must not be repeated in errors and logs.
    pub(crate) redactor: Redactor,
    /// The connection that the requests belong to.
    pub(crate) scope: RequestScope,
}

/// The steps allowed after a rejected request.
#[derive(Clone, Copy, PartialEq)]
enum AccessEffort {
    /// Nothing: the connection is closing.
    SendOnly,
    /// The token may be renewed, but the user is not asked, because no caller waits for the result.
    Renew,
    /// The user may be asked, including for more scopes.
    AskUser,
}

impl AuthorizedClient {
    /// Sends a request with a token, and resends it with a new token if the server requires one.
    async fn with_authorization<T, F, Fut>(
        &self,
        effort: AccessEffort,
        session: bool,
        headers: &Headers,
        send: F,
    ) -> StreamableResult<T>
    where
        F: Fn(Option<String>) -> Fut,
        Fut: Future<Output = StreamableResult<T, reqwest::Error>>,
    {
        let own = headers.contains_key(&AUTHORIZATION);
        let Some(authorizer) = self.authorizer.as_ref().filter(|_| !own) else {
            return send(None)
                .await
                .map_err(|error| self.client_error(error, effort, session, own));
        };
        let mut token = match effort {
            AccessEffort::SendOnly => authorizer.held_token(),
            _ => authorizer.access_token().await.map_err(|failure| self.redact_error(failure))?,
        };
        let mut rounds = 0;
        let mut nonces = 0;
        let mut fresh = false;
        loop {
            if let Some(token) = &token {
                self.redactor.hide_for_now("access_token", token);
            }
            let error = match send(token.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if wants_nonce(&error) && nonces < MAX_NONCES {
                nonces += 1;
                continue;
            }
            let challenge = Challenge::from_error(&error).filter(|challenge| match challenge {
                // A token that was just issued would be rejected again.
                Challenge::Access { .. } => effort != AccessEffort::SendOnly && !fresh,
                Challenge::Wider { .. } => effort == AccessEffort::AskUser,
            });
            let Some(challenge) = challenge.filter(|_| rounds < MAX_ROUNDS) else {
                return Err(self.client_error(error, effort, session, own));
            };
            rounds += 1;
            let renewed = match authorizer
                .renew_token(challenge, token, effort == AccessEffort::AskUser)
                .await
            {
                Ok(renewed) => renewed,
                // After this error, rmcp gives up the stream. After any other error, it would try again.
                Err(_) if effort == AccessEffort::Renew => return Err(wants_access(&error)),
                Err(failure) => return Err(self.redact_error(failure)),
            };
            fresh = renewed.fresh;
            token = Some(renewed.token);
        }
    }

    /// Translates an error. Variants that rmcp acts on are passed through.
    fn client_error(
        &self,
        error: StreamableHttpError<reqwest::Error>,
        effort: AccessEffort,
        session: bool,
        own: bool,
    ) -> StreamableHttpError<HttpError> {
        match error {
            error if effort == AccessEffort::Renew && Challenge::from_error(&error).is_some() => {
                wants_access(&error)
            }
            StreamableHttpError::ServerDoesNotSupportSse => {
                StreamableHttpError::ServerDoesNotSupportSse
            }
            StreamableHttpError::ServerDoesNotSupportDeleteSession => {
                StreamableHttpError::ServerDoesNotSupportDeleteSession
            }
            error => {
                let at = RequestTarget { url: &self.target, session };
                let challenge = Challenge::from_error(&error);
                self.redact_error(if refuses_proof(&error) && self.dpop_key().is_some() {
                    Error::ProofRejected(self.target.to_string()).into()
                } else if let Some(challenge @ Challenge::Access { .. }) = challenge {
                    self.no_access(own, &challenge)
                } else {
                    at.transport_error(&error)
                })
            }
        }
    }

    /// Adds the headers for the caller of this message.
    fn with_caller(
        &self,
        message: &ClientJsonRpcMessage,
        mut headers: Headers,
    ) -> StreamableResult<Headers> {
        let ClientJsonRpcMessage::Request(request) = message else {
            return Ok(headers);
        };
        let Some(RequestHeaders(headers_from)) = request.request.extensions().get() else {
            return Ok(headers);
        };
        let own = headers_from.as_ref().map_err(|fault| {
            let failure = Error::Header(fault.clone()).into();
            StreamableHttpError::Client(HttpError { unsent: true, ..failure })
        })?;
        for (name, value) in own {
            // Trace ids are not secret, and would displace secret values.
            if let Ok(value) = value.to_str()
                && ![TRACEPARENT, TRACESTATE].contains(&name.as_str())
            {
                self.redactor.hide_for_now(name.as_str(), value);
            }
            headers.insert(name.clone(), value.clone());
        }
        Ok(headers)
    }

    /// Redacts the text of a failure.
    fn redact_error(&self, failure: HttpError) -> StreamableHttpError<HttpError> {
        let text = self.redactor.redact_text(&failure.text).into_owned();
        StreamableHttpError::Client(HttpError { text, ..failure })
    }

    /// Redacts the session id, because it gives access to the session.
    fn hide_session(&self, session: Option<&str>) {
        if let Some(session) = session {
            self.redactor.hide_for_now("mcp-session-id", session);
        }
    }

    /// Sends one request with the token and, if needed, its proof.
    async fn send_request(
        &self,
        request: RequestBuilder,
        token: Option<String>,
    ) -> Result<Response, StreamableHttpError<reqwest::Error>> {
        let Some(token) = token else { return Ok(request.send().await?) };
        let Some(dpop) = self.dpop_key() else {
            return Ok(request.bearer_auth(token).send().await?);
        };
        let mut request = request.build()?;
        let url = request.url().clone();
        dpop.add_proof(&mut request, Some(&token)).map_err(io::Error::other)?;
        let response = self.http.execute(request).await?;
        dpop.record_nonce(&url, response.headers());
        Ok(response)
    }

    fn dpop_key(&self) -> Option<&Dpop> {
        self.authorizer.as_ref()?.dpop_key()
    }

    fn no_access(&self, own: bool, challenge: &Challenge) -> HttpError {
        let target = self.target.to_string();
        HttpError::from(if own || self.credentials {
            Error::TokenRejected(target)
        } else if self.authorizer.is_some() && self.dpop_key().is_none() && challenge.wants_proof()
        {
            Error::ProofNeeded(target)
        } else if self.authorizer.is_some() {
            Error::AccessDenied(target)
        } else {
            Error::AccessNeeded(target)
        })
    }
}

/// Creates the error for a stream that was denied access.
fn wants_access(error: &StreamableHttpError<reqwest::Error>) -> StreamableHttpError<HttpError> {
    let header = Challenge::from_error(error)
        .and_then(|challenge| challenge.challenge_header().map(str::to_owned));
    StreamableHttpError::AuthRequired(AuthRequiredError::new(header.unwrap_or_default()))
}

/// Returns whether a message ends the handshake, after which rmcp opens the server's stream.
fn is_initialized(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Notification(notified)
        if matches!(notified.notification, ClientNotification::InitializedNotification(_)))
}

impl StreamableHttpClient for AuthorizedClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _auth: Option<String>,
        headers: Headers,
    ) -> StreamableResult<StreamableHttpPostResponse> {
        let headers = self.with_caller(&message, headers)?;
        self.hide_session(session.as_deref());
        if matches!(message, ClientJsonRpcMessage::Request(_)) {
            self.scope.until_stream_started().await;
        }
        let (http, headers, message) = (&self.http, &headers, &message);
        let session = session.as_deref();
        let sent =
            self.with_authorization(AccessEffort::AskUser, session.is_some(), headers, |token| {
                let request =
                    http.post(uri.as_ref()).headers(HeaderMap::from_iter(headers.clone()));
                let request = post::build_request(request, message, session);
                async move {
                    let response = self.send_request(request?, token).await?;
                    post::read_response(
                        response,
                        message,
                        session.is_some(),
                        self.max_message,
                        &self.scope,
                    )
                    .await
                }
            });
        let answer = self.scope.unless_closed(sent).await?;
        if session.is_some() && is_initialized(message) {
            self.scope.stream_starts();
        }
        let at = RequestTarget { url: &self.target, session: session.is_some() };
        let id = request_id(message);
        let answer = correlate_error(answer, id.as_ref(), at)?;
        Ok(bounded::limit_response(answer, id, ResultFormat::of_message(message), &self.scope))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _auth: Option<String>,
        headers: Headers,
    ) -> StreamableResult<()> {
        let (http, headers) = (&self.http, &headers);
        self.with_authorization(AccessEffort::SendOnly, true, headers, |token| {
            let request = http.delete(uri.as_ref()).headers(HeaderMap::from_iter(headers.clone()));
            let request = request.header(HEADER_SESSION_ID, session.as_ref());
            async move { check_end_response(self.send_request(request, token).await?) }
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _auth: Option<String>,
        headers: Headers,
    ) -> StreamableResult<EventStream> {
        if self.scope.has_no_streams() {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        let (http, headers) = (&self.http, &headers);
        let sent =
            self.with_authorization(AccessEffort::Renew, session.is_some(), headers, |token| {
                let request = http.get(uri.as_ref()).headers(HeaderMap::from_iter(headers.clone()));
                let request = stream_request(request, session.as_deref(), last_event.as_deref());
                async move {
                    stream_response(self.send_request(request, token).await?, self.max_message)
                }
            });
        let opened = self.scope.unless_closed(sent).await;
        self.scope.stream_started();
        let events = bounded::limit_events(opened?, None, ResultFormat::Untyped, &self.scope);
        Ok(self.scope.watch_stream(events))
    }
}
