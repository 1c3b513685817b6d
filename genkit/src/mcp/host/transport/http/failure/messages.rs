//! The words for what went wrong: what, where, and how to mend it.

use std::error::Error as StdError;
use std::time::Duration;

use reqwest::StatusCode;
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::super::client::CONNECT_TIMEOUT;
use super::super::endpoint;
use super::Failure;
use crate::error::ErrorKind;

/// How much of what a server wrote an error repeats, in characters. Default is 300.
const MAX_SAID: usize = 300;

/// Whom a request was for, and whether it belonged to a session.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    /// An address without secrets.
    pub(crate) target: &'a str,
    pub(crate) session: bool,
}

impl At<'_> {
    /// What the transport of rmcp says.
    pub(crate) fn transport<E>(self, error: &StreamableHttpError<E>) -> Failure
    where
        E: StdError + Send + Sync + 'static,
    {
        let target = self.target;
        let broken = |text: String| Failure::new(ErrorKind::Unavailable, text);
        match error {
            StreamableHttpError::Client(error) => {
                let error: &(dyn StdError + 'static) = error;
                match error.downcast_ref::<reqwest::Error>() {
                    Some(error) => self.request(error),
                    None => broken(error.to_string()),
                }
            }
            StreamableHttpError::HttpStatus(error) => {
                self.status(error.status, error.retry_after.as_deref(), "")
            }
            StreamableHttpError::AuthRequired(_) => self.status(401, None, ""),
            StreamableHttpError::InsufficientScope(error) => {
                let failure = self.status(403, None, "");
                match error.get_required_scope() {
                    Some(scopes) => failure.because(&format!("it wants the scopes `{scopes}`")),
                    None => failure,
                }
            }
            StreamableHttpError::SessionExpired
            | StreamableHttpError::SessionRecoveryTimeout
            | StreamableHttpError::ReinitializationFailed(_) => {
                broken(format!("{target} does not know the session any more")).session_lost()
            }
            StreamableHttpError::UnexpectedServerResponse(text) => self.unexpected(text),
            StreamableHttpError::UnexpectedContentType(found) => self.no_mcp(found.as_deref()),
            StreamableHttpError::Deserialize(_) => self.not_mcp_json(),
            StreamableHttpError::ResponseBodyTooLarge { max_size } => Failure::new(
                ErrorKind::ResourceExhausted,
                format!("the answer of {target} is longer than {max_size} bytes"),
            ),
            StreamableHttpError::Sse(error) => {
                broken(format!("the stream of {target} broke: {}", deepest(error)))
            }
            StreamableHttpError::UnexpectedEndOfStream => {
                broken(format!("the stream of {target} ended before the answer"))
            }
            StreamableHttpError::ControlRequestTimeout => Failure::new(
                ErrorKind::DeadlineExceeded,
                format!("{target} did not take a message in time"),
            ),
            StreamableHttpError::Auth(error) => self.authorization(error),
            other => broken(format!("the connection to {target} broke: {}", deepest(other))),
        }
    }

    /// The session is gone; this is what the server said of it.
    pub(crate) fn lost(self, said: &str) -> Failure {
        let text = format!("{} does not know the session any more: {}", self.target, cut(said));
        Failure::new(ErrorKind::Unavailable, text).session_lost()
    }

    /// What reqwest says.
    pub(crate) fn request(self, error: &reqwest::Error) -> Failure {
        let target = self.target;
        if let Some(status) = error.status() {
            return self.status(status.as_u16(), None, "");
        }
        if error.is_builder() {
            let text = format!("the request to {target} cannot be made: {}", deepest(error));
            return Failure::new(ErrorKind::InvalidArgument, text).unsent();
        }
        if error.is_connect() {
            return Failure::new(ErrorKind::Unavailable, self.no_connection(error)).unsent();
        }
        if error.is_timeout() {
            let text = format!("{target} did not answer in time");
            return Failure::new(ErrorKind::DeadlineExceeded, text);
        }
        let text = match error {
            error if error.is_redirect() => format!("{target} redirects without end"),
            error if error.is_body() || error.is_decode() => {
                format!("the answer of {target} broke off: {}", deepest(error))
            }
            error => format!("the connection to {target} broke: {}", deepest(error)),
        };
        Failure::new(ErrorKind::Unavailable, text)
    }

    fn no_connection(self, error: &reqwest::Error) -> String {
        let target = self.target;
        let causes = || std::iter::successors(error.source(), |&error| error.source());
        let io = causes().find_map(|error| error.downcast_ref::<std::io::Error>());
        if io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused) {
            return format!("nothing listens at {target}");
        }
        if causes().any(|error| error.to_string().contains("dns error")) {
            return format!("the host of {target} is not known: {}", deepest(error));
        }
        if error.is_timeout() {
            let limit = CONNECT_TIMEOUT.as_secs();
            return format!("no connection to {target} within {limit} seconds");
        }
        format!("no connection to {target}: {}", deepest(error))
    }

    /// What a status means.
    pub(crate) fn status(self, status: u16, retry_after: Option<&str>, said: &str) -> Failure {
        let target = self.target;
        let name = StatusCode::from_u16(status).ok().and_then(|known| known.canonical_reason());
        let answer = match name {
            Some(name) => format!("HTTP {status} {name}"),
            None => format!("HTTP {status}"),
        };
        let said = cut(said);
        let text = |hint: &str| match (said.as_str(), hint) {
            ("", "") => format!("{target} answered {answer}"),
            ("", hint) => format!("{target} answered {answer}: {hint}"),
            (said, "") => format!("{target} answered {answer}: {said}"),
            (said, hint) => format!("{target} answered {answer}, {said:?}: {hint}"),
        };
        let mut failure = match status {
            300..=399 => Failure::new(
                ErrorKind::FailedPrecondition,
                text("it has moved, and that is not followed; check the address"),
            ),
            400 if self.session => {
                // Servers that lost their sessions say so with 400 as well.
                Failure::new(ErrorKind::InvalidArgument, text("")).session_lost()
            }
            401 => Failure::new(ErrorKind::Unauthenticated, text("it wants to know who asks")),
            403 => Failure::new(ErrorKind::PermissionDenied, text("it does not allow this")),
            404 if self.session => {
                Failure::new(ErrorKind::Unavailable, text("it does not know the session any more"))
                    .session_lost()
            }
            404 | 405 => Failure::new(
                ErrorKind::NotFound,
                text("no MCP server over streamable HTTP is there; check the address"),
            ),
            408 | 504 => Failure::new(ErrorKind::DeadlineExceeded, text("")),
            413 => Failure::new(ErrorKind::ResourceExhausted, text("the message is too long")),
            429 => Failure::new(ErrorKind::ResourceExhausted, text("it is asked too often")),
            500..=599 => Failure::new(ErrorKind::Unavailable, text("")),
            400 | 422 => Failure::new(ErrorKind::InvalidArgument, text("")),
            _ => Failure::new(ErrorKind::FailedPrecondition, text("")),
        };
        let seconds = retry_after.and_then(|text| text.trim().parse().ok());
        failure.retry_after = seconds.map(Duration::from_secs);
        failure
    }

    /// What the authorization of rmcp says.
    pub(crate) fn authorization(self, error: &AuthError) -> Failure {
        let target = self.target;
        let kind = match error {
            AuthError::DiscoveryRequestFailed { .. }
            | AuthError::HttpError(_)
            | AuthError::TokenRefreshFailed(_) => ErrorKind::Unavailable,
            AuthError::CredentialStoreError(_) => ErrorKind::FailedPrecondition,
            _ => ErrorKind::Unauthenticated,
        };
        let text = match error {
            AuthError::DiscoveryRequestFailed { url, source } => {
                let cause: &(dyn StdError + 'static) = source.as_ref();
                let url = endpoint::target(url);
                format!("{url} gave no description of its authorization: {}", deepest(cause))
            }
            AuthError::HttpError(error) => deepest(error),
            error => error.to_string(),
        };
        Failure::new(kind, format!("no access to {target}: {}", cut(&text)))
    }

    /// `HTTP 400 Bad Request: body`, or what could not be read.
    fn unexpected(self, text: &str) -> Failure {
        if let Some((status, said)) = http_status(text) {
            return self.status(status, None, said);
        }
        if text.contains("parse JSON") {
            return self.not_mcp_json();
        }
        let text = format!("{} answered what is no MCP: {}", self.target, cut(text));
        Failure::new(ErrorKind::FailedPrecondition, text)
    }

    fn no_mcp(self, content_type: Option<&str>) -> Failure {
        let found = content_type.unwrap_or("something without a content type");
        let text =
            format!("{} answered {}, which is no MCP; check the address", self.target, cut(found));
        Failure::new(ErrorKind::FailedPrecondition, text)
    }

    fn not_mcp_json(self) -> Failure {
        let text = format!("{} answered JSON that is no message of MCP", self.target);
        Failure::new(ErrorKind::FailedPrecondition, text)
    }
}

/// The status and the body in what rmcp says of an answer that it did not expect.
pub(crate) fn http_status(text: &str) -> Option<(u16, &str)> {
    let rest = text.strip_prefix("HTTP ")?;
    let status = rest.get(..3)?.parse().ok()?;
    let said = rest.split_once(": ").map_or("", |(_, said)| said);
    Some((status, said))
}

/// The first cause, which is what people can act on; reqwest's own text would name the whole URL.
pub(crate) fn deepest(error: &(dyn StdError + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    if cause.is::<reqwest::Error>() {
        return "no cause is known".to_owned();
    }
    cut(&cause.to_string())
}

/// One line of bounded length.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SAID) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
