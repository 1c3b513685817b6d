//! Challenges: how a server refuses for want of access.

use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::dpop;
use crate::transport::http_client::explain::http_status;

/// Whether a request was refused for its proof alone.
pub(crate) fn refuses_proof(error: &StreamableHttpError<reqwest::Error>) -> bool {
    matches!(error, StreamableHttpError::AuthRequired(error)
        if dpop::refuses_proof(&error.www_authenticate_header))
}

/// Whether it would be taken with the nonce that came with the refusal.
pub(crate) fn wants_nonce(error: &StreamableHttpError<reqwest::Error>) -> bool {
    matches!(error, StreamableHttpError::AuthRequired(error)
        if dpop::wants_nonce(&error.www_authenticate_header))
}

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Challenge {
    /// 401: no access, or no longer. `header` is `WWW-Authenticate`, if there is one.
    Access { header: Option<String> },
    /// 403 `insufficient_scope`: more access is needed.
    Wider { header: String, scopes: Vec<String> },
}

impl Challenge {
    pub(crate) fn of(error: &StreamableHttpError<reqwest::Error>) -> Option<Self> {
        match error {
            // Other access would not help.
            error if refuses_proof(error) => None,
            StreamableHttpError::AuthRequired(error) => {
                Some(Self::Access { header: Some(error.www_authenticate_header.clone()) })
            }
            StreamableHttpError::InsufficientScope(error) => {
                let header = error.www_authenticate_header.clone();
                let scopes = error.required_scope.as_deref().unwrap_or_default();
                let scopes: Vec<String> = scopes.split_whitespace().map(Into::into).collect();
                // Any other 403 is final: no scope would help.
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

    /// Whether only access that is bound to a key is taken.
    pub(crate) fn wants_proof(&self) -> bool {
        self.header().is_some_and(|header| {
            let schemes = header.to_ascii_lowercase();
            schemes.starts_with("dpop") && !schemes.contains("bearer ")
        })
    }

    pub(crate) fn header(&self) -> Option<&str> {
        match self {
            Self::Access { header } => header.as_deref(),
            Self::Wider { header, .. } => Some(header),
        }
    }
}
