//! The rules for the headers of a request. Performs no I/O.

mod outline;
mod parameters;
mod standard;
#[cfg(test)]
mod tests;

use http::HeaderMap;
use rmcp::model::{ErrorCode, ErrorData, ProtocolVersion};

pub(super) use self::outline::ParamsOutline;
pub(super) use self::parameters::{HeaderParameter, header_parameters};
pub(super) use self::standard::check_standard;

/// The header that contains the protocol version.
const VERSION: &str = "mcp-protocol-version";

/// The first version without a handshake, whose requests are self-contained: they describe their client
/// in `_meta` and headers.
const DESCRIBED: &str = "2026-07-28";

/// The version of clients that do not declare a version.
const UNNAMED: ProtocolVersion = ProtocolVersion::V_2025_03_26;

/// The parts of a message that the rules depend on.
#[derive(Clone, Copy)]
pub(super) struct RequestOutline<'a> {
    /// `None` for a response from the client.
    pub(super) method: Option<&'a str>,
    pub(super) is_request: bool,
    pub(super) params: &'a ParamsOutline<'a>,
}

/// The rules that a message follows.
#[derive(Debug, PartialEq)]
pub(super) enum Rules {
    /// The rules of the protocols with a handshake. The message belongs to a session, if the server keeps
    /// sessions.
    Handshake(ProtocolVersion),
    /// The rules of self-contained requests, which describe their client.
    Described,
}

/// The reason why the headers of a message are invalid.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum HeaderError {
    #[error("the header MCP-Protocol-Version is not valid text, or has two different values")]
    VersionText,
    #[error("the version `{0}` in the header MCP-Protocol-Version is not supported")]
    UnknownVersion(String),
    #[error(
        "the header MCP-Protocol-Version is `{header}`, but `params.protocolVersion` is `{body}`"
    )]
    Handshake { header: String, body: String },
    #[error("missing or malformed fields in `_meta` of the request: {0}")]
    Undescribed(String),
    #[error("`_meta` has a protocol version, but the header MCP-Protocol-Version is missing")]
    MissingVersion,
    #[error(
        "the header MCP-Protocol-Version is `{header}`, but `_meta` of the request has `{body}`"
    )]
    Version { header: String, body: String },
    #[error("the header {0} is missing")]
    Missing(String),
    #[error("the header {0} occurs twice")]
    Twice(String),
    #[error("the header {0} is not valid text")]
    NotText(String),
    #[error("the header {0} is not Base64-encoded UTF-8")]
    InvalidBase64(String),
    #[error("the header {header} is `{said}`, but the body has `{meant}`")]
    Differs { header: String, said: String, meant: String },
    #[error("the header {header} repeats `{argument}`, which is missing from the body")]
    Unasked { header: String, argument: String },
}

impl HeaderError {
    pub(super) fn error(&self) -> ErrorData {
        let code = match self {
            Self::VersionText | Self::UnknownVersion(_) | Self::Handshake { .. } => {
                ErrorCode::INVALID_REQUEST
            }
            Self::Undescribed(_) => ErrorCode::INVALID_PARAMS,
            _ => ErrorCode::HEADER_MISMATCH,
        };
        ErrorData::new(code, self.to_string(), None)
    }
}

/// Returns the version in the headers, even if it is not supported.
fn named_version(headers: &HeaderMap) -> Result<Option<&str>, HeaderError> {
    let mut all = headers.get_all(VERSION).iter();
    let Some(first) = all.next() else { return Ok(None) };
    if all.any(|other| other != first) {
        return Err(HeaderError::VersionText);
    }
    first.to_str().map(Some).map_err(|_| HeaderError::VersionText)
}

/// Returns a version if it is supported.
fn known_version(version: &str) -> Option<ProtocolVersion> {
    ProtocolVersion::KNOWN_VERSIONS.iter().find(|it| it.as_str() == version).cloned()
}

/// Returns the rules of a GET or DELETE, which has only headers.
pub(super) fn rules_of_head(headers: &HeaderMap) -> Result<Rules, HeaderError> {
    let Some(named) = named_version(headers)? else { return Ok(Rules::Handshake(UNNAMED)) };
    match known_version(named) {
        Some(version) if version.has_initialize() => Ok(Rules::Handshake(version)),
        Some(_) => Ok(Rules::Described),
        None => Err(HeaderError::UnknownVersion(named.to_owned())),
    }
}

/// Returns the rules of a message, whose headers and body must match.
pub(super) fn find_rules(
    headers: &HeaderMap,
    asked: RequestOutline<'_>,
) -> Result<Rules, HeaderError> {
    let named = named_version(headers)?;
    if asked.is_request && asked.method == Some("initialize") {
        let wanted = asked.params.protocol_version();
        let version = match named {
            None => None,
            Some(named) => Some(
                known_version(named)
                    .ok_or_else(|| HeaderError::UnknownVersion(named.to_owned()))?,
            ),
        };
        let is_same = version.is_none() || named == wanted.as_deref();
        // The request follows the newer protocol, which does not have this method.
        let is_described = version.is_some_and(|version| !version.has_initialize())
            && (wanted.is_none() || asked.params.meta_version().is_some());
        let wanted = wanted.unwrap_or_default();
        if is_same {
            return Ok(Rules::Handshake(known_version(&wanted).unwrap_or(UNNAMED)));
        }
        if !is_described {
            let header = named.unwrap_or_default().to_owned();
            return Err(HeaderError::Handshake { header, body: wanted.into_owned() });
        }
    }
    let described = asked.params.meta_version().filter(|_| asked.is_request);
    let Some(meta) = described else {
        let head = rules_of_head(headers)?;
        let must = asked.method == Some("server/discover") || head == Rules::Described;
        if asked.is_request && must {
            return Err(HeaderError::Undescribed(asked.params.missing_members()));
        }
        return Ok(head);
    };
    match named {
        None => Err(HeaderError::MissingVersion),
        Some(named) if named != meta => {
            Err(HeaderError::Version { header: named.to_owned(), body: meta.into_owned() })
        }
        // A self-contained request with an older version follows the rules of that version.
        Some(named) => match known_version(named) {
            Some(version) if version.has_initialize() && !asked.params.is_described() => {
                Ok(Rules::Handshake(version))
            }
            _ => Ok(Rules::Described),
        },
    }
}
