//! Translation of the errors of rmcp and reqwest.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{HttpStatusError, StreamableHttpError};
use rmcp::transport::worker::WorkerQuitReason;

use super::addresses::LookupError;
use super::client::without_secrets;
use super::error::HttpError;
use super::error::{Error, quote_root_cause, quote_text};
use genkit_core::ErrorKind;
use genkit_core::internal::error;
use genkit_http_client::internal::net::CONNECT_TIMEOUT;

/// The effect of an error on a connection.
#[derive(Debug)]
pub(crate) struct Explanation {
    pub(crate) error: error::Error,
    /// Whether the session no longer exists on the server, so that a new session is needed.
    pub(crate) session_lost: bool,
    /// Whether the request certainly did not reach the server and can therefore be resent.
    pub(crate) unsent: bool,
}

/// Explains `error` or one of its causes; returns `None` if there is no HTTP error among them.
pub(crate) fn explain_error(error: &(dyn StdError + 'static)) -> Option<Explanation> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(failure) = known_error(error) {
            let HttpError { session_lost, unsent, .. } = failure;
            return Some(Explanation { error: failure.into(), session_lost, unsent });
        }
        if let Some(ClientInitializeError::LegacyFallbackFailed { discover, fallback }) =
            error.downcast_ref()
        {
            return explain_error(fallback).or_else(|| explain_error(discover));
        }
        next = hidden_error(error).or_else(|| error.source());
    }
    None
}

/// Translates the known error types.
fn known_error(error: &(dyn StdError + 'static)) -> Option<HttpError> {
    if let Some(failure) = error.downcast_ref::<HttpError>() {
        return Some(failure.clone());
    }
    if let Some(error) = error.downcast_ref::<StreamableHttpError<HttpError>>() {
        return Some(match error {
            StreamableHttpError::Client(failure) => failure.clone(),
            other => RequestTarget { url: "the server", session: true }.transport_error(other),
        });
    }
    let at = RequestTarget::new("the server");
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return Some(at.request_error(error));
    }
    if let Some(error) = error.downcast_ref::<HttpStatusError>() {
        return Some(at.status_error(error.status, error.retry_after.as_deref(), ""));
    }
    error.downcast_ref::<AuthError>().map(|error| at.authorization_error(error))
}

/// Returns causes that rmcp stores but does not report as `source`.
fn hidden_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    if let Some(ServiceError::TransportSend(error)) = error.downcast_ref() {
        return Some(error.error.as_ref());
    }
    if let Some(ClientInitializeError::TransportError { error, .. }) = error.downcast_ref() {
        return Some(error.error.as_ref());
    }
    match error.downcast_ref()? {
        WorkerQuitReason::<StreamableHttpError<HttpError>>::Fatal { error, .. } => Some(error),
        _ => None,
    }
}

/// The target of a request, and whether the request belonged to a session.
#[derive(Clone, Copy)]
pub(crate) struct RequestTarget<'a> {
    /// A URL without secrets.
    pub(crate) url: &'a str,
    pub(crate) session: bool,
}

impl<'a> RequestTarget<'a> {
    /// Creates the target of a request without a session.
    pub(crate) fn new(url: &'a str) -> Self {
        Self { url, session: false }
    }

    /// Translates an error of rmcp's transport.
    pub(crate) fn transport_error<E>(self, error: &StreamableHttpError<E>) -> HttpError
    where
        E: StdError + Send + Sync + 'static,
    {
        let url = self.url.to_owned();
        let error = match error {
            StreamableHttpError::Client(error) => {
                let error: &(dyn StdError + 'static) = error;
                match error.downcast_ref::<reqwest::Error>() {
                    Some(error) => return self.request_error(error),
                    None => Error::Other(error.to_string()),
                }
            }
            StreamableHttpError::HttpStatus(error) => {
                return self.status_error(error.status, error.retry_after.as_deref(), "");
            }
            StreamableHttpError::AuthRequired(_) => return self.status_error(401, None, ""),
            StreamableHttpError::InsufficientScope(error) => {
                let failure = self.status_error(403, None, "");
                return match error.get_required_scope() {
                    Some(scopes) => {
                        failure.with_reason(&format!("it requires the scopes `{scopes}`"))
                    }
                    None => failure,
                };
            }
            StreamableHttpError::SessionExpired
            | StreamableHttpError::SessionRecoveryTimeout
            | StreamableHttpError::ReinitializationFailed(_) => {
                let failure = Error::SessionLost(url).into();
                return HttpError { session_lost: true, ..failure };
            }
            StreamableHttpError::UnexpectedServerResponse(text) => match http_status(text) {
                Some((status, body)) => return self.status_error(status, None, body),
                // rmcp reports this only in its text.
                None if text.contains("parse JSON") => Error::NotMcpMessage(url),
                None => Error::NotMcp(url, quote_text(text)),
            },
            StreamableHttpError::UnexpectedContentType(found) => {
                let found = found.as_deref().unwrap_or("a response without a content type");
                Error::ContentType(url, quote_text(found))
            }
            StreamableHttpError::Deserialize(_) => Error::NotMcpMessage(url),
            StreamableHttpError::ResponseBodyTooLarge { max_size } => {
                Error::AnswerTooLong(url, *max_size)
            }
            StreamableHttpError::Sse(error) => Error::StreamBroke(url, quote_root_cause(error)),
            StreamableHttpError::Io(error) => {
                // A request that could not be built contains our `Error`.
                let own = error.get_ref().and_then(|own| own.downcast_ref::<error::Error>());
                match own {
                    Some(own) => return HttpError { unsent: true, ..HttpError::from_error(own) },
                    None => Error::ConnectionBroke(url, quote_root_cause(error)),
                }
            }
            StreamableHttpError::UnexpectedEndOfStream => Error::StreamEnded(url),
            StreamableHttpError::ControlRequestTimeout => Error::SendTimeout(url),
            StreamableHttpError::Auth(error) => return self.authorization_error(error),
            other => Error::ConnectionBroke(url, quote_root_cause(other)),
        };
        error.into()
    }

    /// Creates the failure of a lost session; `message` is the server's text.
    pub(crate) fn session_lost(self, message: &str) -> HttpError {
        let error = Error::SessionRejected(self.url.to_owned(), quote_text(message));
        HttpError { session_lost: true, ..error.into() }
    }

    /// Translates an error of reqwest.
    pub(crate) fn request_error(self, error: &reqwest::Error) -> HttpError {
        let url = self.url.to_owned();
        if let Some(status) = error.status() {
            return self.status_error(status.as_u16(), None, "");
        }
        if error.is_builder() {
            let failure = Error::Request(url, quote_root_cause(error)).into();
            return HttpError { unsent: true, ..failure };
        }
        if error.is_connect() {
            return HttpError { unsent: true, ..self.no_connection(error).into() };
        }
        let broken = quote_root_cause(error);
        HttpError::from(match error {
            error if error.is_timeout() => Error::Timeout(url),
            error if error.is_redirect() => Error::Redirects(url),
            error if error.is_body() || error.is_decode() => Error::AnswerBroke(url, broken),
            _ => Error::ConnectionBroke(url, broken),
        })
    }

    fn no_connection(self, error: &reqwest::Error) -> Error {
        let url = self.url.to_owned();
        let causes = || std::iter::successors(error.source(), |&error| error.source());
        let io = causes().find_map(|error| error.downcast_ref::<io::Error>());
        if io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused) {
            return Error::NothingListens(url);
        }
        if causes().any(|error| error.is::<LookupError>()) {
            return Error::UnknownHost(url, quote_root_cause(error));
        }
        match error.is_timeout() {
            true => Error::ConnectTimeout(url, CONNECT_TIMEOUT),
            false => Error::ConnectFailed(url, quote_root_cause(error)),
        }
    }

    /// Translates an HTTP status.
    pub(crate) fn status_error(
        self,
        status: u16,
        retry_after: Option<&str>,
        body: &str,
    ) -> HttpError {
        let (target, session) = (self.url.to_owned(), self.session);
        let error = Error::Status { target, status, session, body: quote_text(body) };
        let seconds = retry_after.and_then(|text| text.trim().parse().ok());
        HttpError {
            // The specified status is 404, but some servers return 400.
            session_lost: session && matches!(status, 400 | 404),
            retry_after: seconds.map(Duration::from_secs),
            ..error.into()
        }
    }

    /// Translates an error of rmcp's authorization.
    pub(crate) fn authorization_error(self, error: &AuthError) -> HttpError {
        let failure = match error {
            AuthError::DiscoveryRequestFailed { url, source } => {
                let cause: &(dyn StdError + 'static) = source.as_ref();
                Error::MetadataUnreadable(without_secrets(url).to_string(), quote_root_cause(cause))
                    .into()
            }
            AuthError::HttpError(error) => Error::Other(quote_root_cause(error)).into(),
            error => {
                let kind = match error {
                    AuthError::TokenRefreshFailed(_) => ErrorKind::Unavailable,
                    AuthError::CredentialStoreError(_) => ErrorKind::FailedPrecondition,
                    _ => ErrorKind::Unauthenticated,
                };
                HttpError { kind, ..Error::Other(quote_text(&error.to_string())).into() }
            }
        };
        failure.no_access_to(self.url)
    }
}

/// Parses the status and body from rmcp's text about an unexpected response.
pub(crate) fn http_status(text: &str) -> Option<(u16, &str)> {
    let rest = text.strip_prefix("HTTP ")?;
    let status = rest.get(..3)?.parse().ok()?;
    Some((status, rest.split_once(": ").map_or("", |(_, body)| body)))
}
