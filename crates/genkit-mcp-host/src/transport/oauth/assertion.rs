//! Assertions: signing algorithms, and tokens that the program supplies (RFC 7523).

use std::str::FromStr;
use std::sync::Arc;

use genkit_oauth_client::Signer;

use super::error::Error;
use crate::transport::http_client::error::HttpError;
use genkit_core::internal::error;

/// The algorithm that a private key signs with.
///
/// ```
/// use genkit::mcp::host::SigningAlgorithm;
///
/// assert_eq!("ES256".parse::<SigningAlgorithm>()?, SigningAlgorithm::Es256);
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SigningAlgorithm {
    /// RSA with SHA-256, for a key of 2,048 bits or more.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
}

impl SigningAlgorithm {
    pub(super) fn make_signer(self, pem: &str) -> Result<Signer, Error> {
        Ok(match self {
            Self::Rs256 => Signer::from_rs256_pem(pem)?,
            Self::Es256 => Signer::from_es256_pem(pem)?,
        })
    }
}

impl FromStr for SigningAlgorithm {
    type Err = error::Error;

    fn from_str(text: &str) -> error::Result<Self> {
        match text {
            "RS256" => Ok(Self::Rs256),
            "ES256" => Ok(Self::Es256),
            other => Err(Error::UnknownAlgorithm(other.to_owned()).into()),
        }
    }
}

/// Awaits a token (`what`) that a closure of the program supplies.
pub(super) async fn await_token(
    asked: impl Future<Output = error::Result<String>>,
    setting: &'static str,
    what: &'static str,
) -> Result<String, HttpError> {
    let text = asked.await.map_err(|error| {
        let failure =
            HttpError::from_error(&error).with_prefix(Error::NothingGiven { setting, what });
        HttpError { source: Some(Arc::new(error)), ..failure }
    })?;
    // Files usually end with a line break.
    match text.trim() {
        "" => Err(Error::EmptyGiven { setting, what }.into()),
        token => Ok(token.to_owned()),
    }
}
