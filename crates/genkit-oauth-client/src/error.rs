//! Errors: all messages of this crate.

use std::net::SocketAddr;

/// What is wrong with a private key or with the address of a redirect.
///
/// ```
/// use genkit_oauth_client::{Error, Signer};
///
/// assert!(matches!(Signer::es256("no key"), Err(Error::NoPem)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text of a private key is not PEM.
    #[error(
        "the private key of OAuth cannot be used: it is no PEM text: it begins with \
         `-----BEGIN PRIVATE KEY-----`"
    )]
    NoPem,
    /// A private key is of another kind, too short, or broken.
    #[error("the private key of OAuth cannot be used: it is no key for {algorithm}: {fault}")]
    UnfitKey {
        /// The algorithm that it was given for.
        algorithm: &'static str,
        /// What is wrong with it.
        fault: String,
    },
    /// A private key is in a format that is not read.
    #[error(
        "the private key of OAuth cannot be used: it is `{0}` and not PKCS#8: \
         `openssl pkcs8 -topk8 -nocrypt` makes that"
    )]
    NoPkcs8(String),
    /// The machine gives no random numbers.
    #[error("cannot sign: this machine has no random numbers")]
    NoRandom,
    /// The redirect URI cannot be parsed.
    #[error("the redirect URI is no address ({0})")]
    NoRedirectAddress(String),
    /// The port of the redirect URI cannot be listened at.
    #[error("cannot wait for the browser at {at}: {fault}")]
    Callback {
        /// The address of the port.
        at: SocketAddr,
        /// Why not.
        fault: std::io::Error,
    },
}
