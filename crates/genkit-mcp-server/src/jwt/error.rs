//! What is wrong with a token, or with the keys of its issuer.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

/// Why a token is not taken, for its client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TokenFault {
    #[error("the token is no signed JWT")]
    NoJwt,
    #[error("the token is signed by an algorithm that this server does not allow")]
    Algorithm,
    #[error("the token has a header that this server does not know")]
    Critical,
    #[error("this kind of JWT is no access token")]
    Kind,
    #[error("the token is signed by an unknown key")]
    UnknownKey,
    #[error("the signature of the token is wrong")]
    Signature,
    #[error("the token is from another issuer than `{0}`, to the letter")]
    Issuer(String),
    #[error("the token is for another audience than `{0}`, to the letter")]
    Audience(String),
    #[error("the token has expired")]
    Expired,
    #[error("the token does not say when it expires: it needs the claim `exp`")]
    NoExpiry,
    #[error("the token is not valid yet")]
    NotYet,
    #[error("the token names no subject: it needs the claim `sub`")]
    NoSubject,
    #[error("the token is bound to a key of its client, which this server cannot check")]
    Bound,
}

/// Why there are no keys, for the log and for the program that sets the verifier up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum KeyFault {
    #[error(
        "`{0}` is no address that keys may come from: `https://`, or `http://` on this machine"
    )]
    Address(String),
    #[error("no algorithm is allowed: leave `.algorithms(..)` out, or name one")]
    NoAlgorithms,
    #[error("{url}: {why}")]
    Unreachable { url: String, why: String },
    #[error("{url} answers with status {status}")]
    Status { url: String, status: u16 },
    #[error("{url} answers with more than {limit} bytes")]
    Long { url: String, limit: usize },
    #[error("{url} does not answer with a JSON object")]
    NoObject { url: String },
    #[error("the metadata at {url} is that of the issuer `{found}`")]
    OtherIssuer { url: String, found: String },
    #[error("the metadata at {url} names no usable `jwks_uri`")]
    NoJwksUri { url: String },
    #[error("no set of keys: `keys` is no list")]
    NoKeys,
    #[error("a set of more than {0} keys")]
    TooManyKeys(usize),
    #[error("it was tried a moment ago, and failed")]
    BackingOff,
}

impl Topic for KeyFault {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Address(_) | Self::NoAlgorithms | Self::NoKeys | Self::TooManyKeys(_) => {
                ErrorKind::InvalidArgument
            }
            _ => ErrorKind::Unavailable,
        }
    }
}
