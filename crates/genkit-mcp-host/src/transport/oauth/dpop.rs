//! DPoP: requests prove possession of the key that the access token is bound to (RFC 9449).

use std::collections::HashMap;
use std::sync::Mutex;

use genkit_oauth_client::DpopKey;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Request, Url};

use super::error::Error;
use genkit_core::Result;
use genkit_core::internal::sync::lock;

/// The type of tokens that are bound to a key.
const TOKEN_TYPE: &str = "DPoP";

const PROOF: &str = "dpop";

/// The response header with the nonce for the next request.
pub(super) const NONCE: &str = "dpop-nonce";

/// The error code of a server that requires a nonce, or a newer nonce, in the proof.
pub(super) const WANTS_NONCE: &str = "use_dpop_nonce";

/// The error code of a server that rejects the proof.
const INVALID_PROOF: &str = "invalid_dpop_proof";

/// The number of servers whose nonces are kept: the MCP server and its authorization servers. Default is 8.
const MAX_NONCES: usize = 8;

/// The key that a server's tokens are bound to, and the latest nonces.
pub(crate) struct Dpop {
    key: DpopKey,
    /// Keyed by origin.
    nonces: Mutex<HashMap<String, String>>,
}

impl Dpop {
    /// The algorithm of the proofs.
    pub(super) const ALGORITHM: &str = "ES256";

    pub(super) fn new(key: DpopKey) -> Self {
        Self { key, nonces: Mutex::default() }
    }

    /// Adds a new proof to the request, and the token that the proof is for. Each request needs its own proof.
    pub(crate) fn add_proof(&self, request: &mut Request, token: Option<&str>) -> Result<()> {
        let (method, url) = (request.method().as_str(), request.url());
        let mut proof = self.key.new_proof(method, url.as_str());
        if let Some(token) = token {
            proof = proof.access_token(token);
        }
        if let Some(nonce) = self.find_nonce(url) {
            proof = proof.with_nonce(&nonce);
        }
        let proof = proof.sign().map_err(Error::Client)?;
        let proof = HeaderValue::try_from(proof).map_err(|_| Error::MissingHeader)?;
        let headers = request.headers_mut();
        headers.insert(PROOF, proof);
        if let Some(token) = token {
            let mut access = HeaderValue::try_from(format!("{TOKEN_TYPE} {token}"))
                .map_err(|_| Error::MissingHeader)?;
            access.set_sensitive(true);
            headers.insert(AUTHORIZATION, access);
        }
        Ok(())
    }

    /// Returns the latest nonce from the server at `url`.
    fn find_nonce(&self, url: &Url) -> Option<String> {
        lock(&self.nonces).get(&url.origin().ascii_serialization()).cloned()
    }

    /// Records the nonce of a response for the next request.
    pub(crate) fn record_nonce(&self, url: &Url, answer: &HeaderMap) {
        let Some(nonce) = answer.get(NONCE).and_then(|nonce| nonce.to_str().ok()) else { return };
        let mut nonces = lock(&self.nonces);
        let origin = url.origin().ascii_serialization();
        if nonces.len() >= MAX_NONCES && !nonces.contains_key(&origin) {
            // Only a server that redirects repeatedly reaches this limit. A server whose nonce is lost sends another
            // nonce.
            nonces.clear();
        }
        nonces.insert(origin, nonce.to_owned());
    }
}

/// Returns whether a challenge of an MCP server requires a nonce.
pub(crate) fn wants_nonce(challenge: &str) -> bool {
    challenge.contains(WANTS_NONCE)
}

/// Returns whether a challenge is only about the proof, so that another token would not help.
pub(crate) fn refuses_proof(challenge: &str) -> bool {
    wants_nonce(challenge) || challenge.contains(INVALID_PROOF)
}

/// Returns whether tokens of this type are bound to a key.
pub(super) fn is_bound(token_type: Option<&str>) -> bool {
    token_type.is_some_and(|kind| kind.eq_ignore_ascii_case(TOKEN_TYPE))
}
