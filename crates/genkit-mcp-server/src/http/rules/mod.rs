//! The rules of headers: what a request over HTTP says of itself beside its body. No IO.

mod accept;
mod outline;
mod parameters;
mod standard;
#[cfg(test)]
mod tests;

use http::HeaderMap;
use rmcp::model::{ErrorCode, ErrorData, ProtocolVersion};

pub(super) use self::accept::{accepts_answers, accepts_events, is_json};
pub(super) use self::outline::ParamsOutline;
pub(super) use self::parameters::{HeaderParameter, parameters};
pub(super) use self::standard::check_standard;

/// The header that names the version of the protocol.
const VERSION: &str = "mcp-protocol-version";

/// The first version without a handshake, whose requests describe themselves in `_meta` and headers.
const DESCRIBED: &str = "2026-07-28";

/// The version of who names none.
const UNNAMED: ProtocolVersion = ProtocolVersion::V_2025_03_26;

/// What a message is, as far as headers go.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// `None` is an answer of the client.
    pub(super) method: Option<&'a str>,
    pub(super) is_request: bool,
    pub(super) params: &'a ParamsOutline<'a>,
}

/// By which rules a message is served.
#[derive(Debug, PartialEq)]
pub(super) enum Rules {
    /// Those of the protocols with a handshake: it belongs to a session, where there are any.
    Handshake(ProtocolVersion),
    /// It says itself what is to be known of its client.
    Described,
}

/// What is wrong with the headers of a message.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum HeaderFault {
    #[error("the header MCP-Protocol-Version is no text, or stands there twice")]
    VersionText,
    #[error("the version `{0}` of the header MCP-Protocol-Version is not known")]
    UnknownVersion(String),
    #[error("the header MCP-Protocol-Version says {header}, and `params.protocolVersion` {body}")]
    Handshake { header: String, body: String },
    #[error("`_meta` of the request lacks, or has malformed: {0}")]
    Undescribed(String),
    #[error(
        "`_meta` names a version of the protocol, and the header MCP-Protocol-Version is missing"
    )]
    NoVersion,
    #[error("the header MCP-Protocol-Version says {header}, and `_meta` of the request {body}")]
    Version { header: String, body: String },
    #[error("the header {0} is missing")]
    Missing(String),
    #[error("the header {0} stands there twice")]
    Twice(String),
    #[error("the header {0} is no text")]
    NoText(String),
    #[error("the header {0} is no Base64 of a text")]
    NoBase64(String),
    #[error("the header {header} says `{said}`, and the body `{meant}`")]
    Differs { header: String, said: String, meant: String },
    #[error("the header {header} stands for `{argument}`, which the body does not have")]
    Unasked { header: String, argument: String },
}

impl HeaderFault {
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

/// The version that the headers name, whatever it is.
fn named_version(headers: &HeaderMap) -> Result<Option<&str>, HeaderFault> {
    let mut all = headers.get_all(VERSION).iter();
    let Some(first) = all.next() else { return Ok(None) };
    if all.any(|other| other != first) {
        return Err(HeaderFault::VersionText);
    }
    first.to_str().map(Some).map_err(|_| HeaderFault::VersionText)
}

/// A version that is spoken here.
fn known(version: &str) -> Option<ProtocolVersion> {
    ProtocolVersion::KNOWN_VERSIONS.iter().find(|it| it.as_str() == version).cloned()
}

/// The rules of a GET or DELETE, which has headers only.
pub(super) fn rules_of_head(headers: &HeaderMap) -> Result<Rules, HeaderFault> {
    let Some(named) = named_version(headers)? else { return Ok(Rules::Handshake(UNNAMED)) };
    match known(named) {
        Some(version) if version.has_initialize() => Ok(Rules::Handshake(version)),
        Some(_) => Ok(Rules::Described),
        None => Err(HeaderFault::UnknownVersion(named.to_owned())),
    }
}

/// The rules of a message, whose headers and body must say the same.
pub(super) fn rules_of(headers: &HeaderMap, asked: Asked<'_>) -> Result<Rules, HeaderFault> {
    let named = named_version(headers)?;
    if asked.is_request && asked.method == Some("initialize") {
        let wanted = asked.params.protocol_version();
        let version = match named {
            None => None,
            Some(named) => {
                Some(known(named).ok_or_else(|| HeaderFault::UnknownVersion(named.to_owned()))?)
            }
        };
        let is_same = version.is_none() || named == wanted.as_deref();
        // A request of the newer protocol, which has no such method.
        let is_described = version.is_some_and(|version| !version.has_initialize())
            && (wanted.is_none() || asked.params.meta_version().is_some());
        let wanted = wanted.unwrap_or_default();
        if is_same {
            return Ok(Rules::Handshake(known(&wanted).unwrap_or(UNNAMED)));
        }
        if !is_described {
            let header = named.unwrap_or_default().to_owned();
            return Err(HeaderFault::Handshake { header, body: wanted.into_owned() });
        }
    }
    let described = asked.params.meta_version().filter(|_| asked.is_request);
    let Some(meta) = described else {
        let head = rules_of_head(headers)?;
        let must = asked.method == Some("server/discover") || head == Rules::Described;
        if asked.is_request && must {
            return Err(HeaderFault::Undescribed(asked.params.missing()));
        }
        return Ok(head);
    };
    match named {
        None => Err(HeaderFault::NoVersion),
        Some(named) if named != meta => {
            Err(HeaderFault::Version { header: named.to_owned(), body: meta.into_owned() })
        }
        // With an older version, but described: the rules are those of the version.
        Some(named) => match known(named) {
            Some(version) if version.has_initialize() && !asked.params.is_described() => {
                Ok(Rules::Handshake(version))
            }
            _ => Ok(Rules::Described),
        },
    }
}
