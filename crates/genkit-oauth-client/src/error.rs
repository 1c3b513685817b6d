//! Errors, with all messages of this crate.

use std::net::SocketAddr;

/// An error in a private key or in a redirect URI.
///
/// ```
/// use genkit_oauth_client::{Error, Signer};
///
/// assert!(matches!(Signer::from_es256_pem("no key"), Err(Error::NotPem)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text of a private key is not PEM.
    #[error(
        "invalid private key for OAuth: not PEM text; expected text that starts with \
         `-----BEGIN PRIVATE KEY-----`"
    )]
    NotPem,
    /// A private key has the wrong type, is too short, or is corrupt.
    #[error("invalid private key for OAuth: not a key for {algorithm}: {fault}")]
    InvalidKey {
        /// The algorithm that the key should be used with.
        algorithm: &'static str,
        /// The reason why the key was rejected.
        fault: String,
    },
    /// A private key has an unsupported format.
    #[error(
        "invalid private key for OAuth: `{0}` is not PKCS#8; convert it with \
         `openssl pkcs8 -topk8 -nocrypt`"
    )]
    NotPkcs8(String),
    /// The operating system provides no randomness.
    #[error("cannot sign: the operating system provides no randomness")]
    NoRandom,
    /// The redirect URI is not a URL.
    #[error("the redirect URI is not a URL ({0})")]
    InvalidRedirectUri(String),
    /// The port of the redirect URI is not available.
    #[error("cannot listen for the browser at {at}: {fault}")]
    Callback {
        /// The address with the port.
        at: SocketAddr,
        /// The cause.
        fault: std::io::Error,
    },
}
