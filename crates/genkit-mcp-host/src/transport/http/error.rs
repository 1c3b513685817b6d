//! What is wrong with the settings of a server over HTTP.

use reqwest::Url;

/// The key of the server is put in front.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{shown:?} is no address ({fault}): it is written `https://host/path`")]
    NoUrl { shown: String, fault: <Url as std::str::FromStr>::Err },
    #[error(
        "{shown:?} is no address of an MCP server: `{scheme}` is not HTTP, it begins with `https://` \
         or `http://`"
    )]
    NotHttp { shown: String, scheme: String },
    #[error("it has {0}")]
    Header(#[from] HeaderError),
    #[error("`headers_from` made {0}")]
    HeadersFrom(HeaderError),
    #[error(
        "it has two ways to say who asks: keep one of `.bearer_token(..)`, `.oauth(..)` and an \
         `authorization` header"
    )]
    TwoCredentials,
    #[error(
        "the token of `.bearer_token(..)` has characters that no header can carry: line ends or control \
         characters"
    )]
    Token,
    #[error("`.max_message(0)` lets nothing through")]
    NoMessages,
}

/// What is wrong with a header. Its value is never repeated.
#[derive(Debug, thiserror::Error)]
pub(super) enum HeaderError {
    #[error("the header {0:?}, which the protocol writes itself: take it out")]
    Reserved(String),
    #[error("the header {0:?}, which is no name: letters, digits and `-` are")]
    Name(String),
    #[error("a value for the header {0:?} that cannot be sent: line ends or control characters")]
    Value(String),
}
