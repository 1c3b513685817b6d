//! Errors in the settings of a server over HTTP.

use reqwest::Url;

/// The server's key is prefixed to these messages.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("`{shown}` is not a URL ({fault}); expected `https://host/path`")]
    InvalidUrl { shown: String, fault: <Url as std::str::FromStr>::Err },
    #[error(
        "`{shown}` is not the URL of an MCP server; use `https://` or `http://` instead of \
         `{scheme}`"
    )]
    NotHttp { shown: String, scheme: String },
    #[error("{0}")]
    Header(#[from] HeaderError),
    #[error("`headers_from` returned an invalid header: {0}")]
    HeadersFrom(HeaderError),
    #[error(
        "conflicting credentials; keep only one of `.bearer_token(..)`, `.oauth(..)` and an \
         `authorization` header"
    )]
    TwoCredentials,
    #[error(
        "the token of `.bearer_token(..)` contains line breaks or control \
         characters"
    )]
    Token,
    #[error("`.max_message(0)` would reject every message")]
    ZeroMessageLimit,
}

/// An invalid header. Its value is never printed.
#[derive(Debug, thiserror::Error)]
pub(super) enum HeaderError {
    #[error("the header `{0}` is set by the protocol; remove it")]
    Reserved(String),
    #[error("`{0}` is not a valid header name; use letters, digits and `-`")]
    Name(String),
    #[error("the value of the header `{0}` contains line breaks or control characters")]
    Value(String),
}
