//! Errors of verifying tokens, and of fetching the keys of their issuer.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

/// The reason why a token was rejected. The client receives the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum VerifyError {
    #[error("the token is not a signed JWT")]
    NotAJwt,
    #[error("the token is signed with an algorithm that this server does not allow")]
    Algorithm,
    #[error("the token has a critical header parameter (`crit`) that this server does not support")]
    Critical,
    #[error("this type of JWT is not an access token")]
    Kind,
    #[error("the token is signed with an unknown key")]
    UnknownKey,
    #[error("the token has an invalid signature")]
    Signature,
    #[error("the token has the wrong issuer; expected `{0}`")]
    Issuer(String),
    #[error("the token has the wrong audience; expected `{0}`")]
    Audience(String),
    #[error("the token has expired")]
    Expired,
    #[error("the token has no expiry; it needs the claim `exp`")]
    MissingExpiry,
    #[error("the token is not valid yet")]
    NotYetValid,
    #[error("the token has no subject; it needs the claim `sub`")]
    MissingSubject,
    #[error(
        "the token is bound to a client key (DPoP or mutual TLS), which this server does not support"
    )]
    Bound,
}

/// The reason why keys are not available. It is logged, or returned to the program that builds the
/// verifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyError {
    #[error("`{0}` is not a valid URL for keys; use `https://`, or `http://` on this machine")]
    Address(String),
    #[error(
        "`.algorithms(..)` is empty; pass at least one algorithm, or remove the call to use the default"
    )]
    EmptyAlgorithms,
    #[error("{url}: {why}")]
    Unreachable { url: String, why: String },
    #[error("{url} responded with status {status}")]
    Status { url: String, status: u16 },
    #[error("{url} responded with more than {limit} bytes")]
    Long { url: String, limit: usize },
    #[error("{url} did not respond with a JSON object")]
    NotObject { url: String },
    #[error("the metadata at {url} belongs to another issuer, `{found}`")]
    OtherIssuer { url: String, found: String },
    #[error("the metadata at {url} has no usable `jwks_uri`")]
    MissingJwksUri { url: String },
    #[error("the JWK set is invalid: `keys` is not a list")]
    InvalidKeySet,
    #[error("the JWK set has more than {0} keys")]
    TooManyKeys(usize),
    #[error("fetching the keys failed recently and is not retried yet; try again later")]
    BackingOff,
}

impl Topic for KeyError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Address(_)
            | Self::EmptyAlgorithms
            | Self::InvalidKeySet
            | Self::TooManyKeys(_) => ErrorKind::InvalidArgument,
            _ => ErrorKind::Unavailable,
        }
    }
}
