//! Challenges: how a server refuses for want of access.

use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::mcp::host::transport::http_client::explain::http_status;

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

    pub(crate) fn header(&self) -> Option<&str> {
        match self {
            Self::Access { header } => header.as_deref(),
            Self::Wider { header, .. } => Some(header),
        }
    }
}
