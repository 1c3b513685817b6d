//! Challenges: responses that reject a request for lack of access.

use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::dpop;
use crate::transport::http_client::explain::http_status;

/// Returns whether a request was rejected only because of its DPoP proof.
pub(crate) fn refuses_proof(error: &StreamableHttpError<reqwest::Error>) -> bool {
    matches!(error, StreamableHttpError::AuthRequired(error)
        if dpop::refuses_proof(&error.www_authenticate_header))
}

/// Returns whether the server requires the nonce that came with the rejection.
pub(crate) fn wants_nonce(error: &StreamableHttpError<reqwest::Error>) -> bool {
    matches!(error, StreamableHttpError::AuthRequired(error)
        if dpop::wants_nonce(&error.www_authenticate_header))
}

/// The reason why a request was rejected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Challenge {
    /// 401: the token is missing or no longer valid. `header` is `WWW-Authenticate`, if present.
    Access { header: Option<String> },
    /// 403 `insufficient_scope`: more scopes are required.
    Wider { header: String, scopes: Vec<String> },
}

impl Challenge {
    pub(crate) fn from_error(error: &StreamableHttpError<reqwest::Error>) -> Option<Self> {
        match error {
            // Another token would not help.
            error if refuses_proof(error) => None,
            StreamableHttpError::AuthRequired(error) => {
                Some(Self::Access { header: Some(error.www_authenticate_header.clone()) })
            }
            StreamableHttpError::InsufficientScope(error) => {
                let header = error.www_authenticate_header.clone();
                let scopes = error.required_scope.as_deref().unwrap_or_default();
                let scopes: Vec<String> = scopes.split_whitespace().map(Into::into).collect();
                // Any other 403 is final; no scope would help.
                let known = header.contains("insufficient_scope") || !scopes.is_empty();
                known.then_some(Self::Wider { header, scopes })
            }
            StreamableHttpError::UnexpectedServerResponse(text) => {
                let (status, _) = http_status(text)?;
                (status == 401).then_some(Self::Access { header: None })
            }
            StreamableHttpError::Client(error) => {
                let status = error.status()?.as_u16();
                (status == 401).then_some(Self::Access { header: None })
            }
            _ => None,
        }
    }

    /// Returns whether the server accepts only tokens that are bound to a key.
    pub(crate) fn wants_proof(&self) -> bool {
        self.challenge_header().is_some_and(|header| {
            let schemes = header.to_ascii_lowercase();
            schemes.starts_with("dpop") && !schemes.contains("bearer ")
        })
    }

    pub(crate) fn challenge_header(&self) -> Option<&str> {
        match self {
            Self::Access { header } => header.as_deref(),
            Self::Wider { header, .. } => Some(header),
        }
    }
}
