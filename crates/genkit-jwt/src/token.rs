//! Parses the three parts of a token (RFC 7515, section 7.1), without verifying them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::algorithm::JwtAlgorithm;
use crate::error::VerifyError;

/// The maximum length of a key id, in bytes.
const MAX_KEY_ID: usize = 1024;

/// A token whose signature has not been checked.
pub(crate) struct UnverifiedToken<'a> {
    pub(crate) algorithm: JwtAlgorithm,
    pub(crate) key_id: Option<String>,
    /// The part of the token that is signed.
    pub(crate) signed: &'a str,
    pub(crate) signature: Vec<u8>,
    claims: &'a str,
}

impl<'a> UnverifiedToken<'a> {
    /// Parses a token that is signed with one of the allowed algorithms.
    pub(crate) fn read(token: &'a str, allowed: &[JwtAlgorithm]) -> Result<Self, VerifyError> {
        let mut parts = token.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(VerifyError::NotAJwt);
        };
        let header_fields = parse_object(header)?;
        let algorithm = match header_fields.get("alg").and_then(Value::as_str) {
            // RFC 9864 introduces this name for EdDSA with Ed25519.
            Some("Ed25519") => Some(JwtAlgorithm::EdDsa),
            Some(name) => JwtAlgorithm::from_name(name),
            None => return Err(VerifyError::NotAJwt),
        };
        let algorithm =
            algorithm.filter(|it| allowed.contains(it)).ok_or(VerifyError::Algorithm)?;
        if header_fields.contains_key("crit") {
            return Err(VerifyError::Critical);
        }
        // The issuer also signs other types of tokens, such as logout tokens, with the same keys.
        let is_access = |kind: &str| {
            let kind = kind.to_ascii_lowercase();
            ["jwt", "at+jwt"].contains(&kind.strip_prefix("application/").unwrap_or(&kind))
        };
        match header_fields.get("typ") {
            None => {}
            Some(kind) if kind.as_str().is_some_and(is_access) => {}
            Some(_) => return Err(VerifyError::Kind),
        }
        let key_id = match header_fields.get("kid") {
            None => None,
            Some(Value::String(id)) if id.len() <= MAX_KEY_ID => Some(id.clone()),
            Some(_) => return Err(VerifyError::NotAJwt),
        };
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| VerifyError::NotAJwt)?;
        let signed = &token[..header.len() + 1 + claims.len()];
        Ok(Self { algorithm, key_id, signed, signature, claims })
    }

    /// Parses the claims. Call it only after the signature has been verified.
    pub(crate) fn parse_claims(&self) -> Result<Map<String, Value>, VerifyError> {
        parse_object(self.claims)
    }
}

fn parse_object(part: &str) -> Result<Map<String, Value>, VerifyError> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| VerifyError::NotAJwt)?;
    serde_json::from_slice(&bytes).map_err(|_| VerifyError::NotAJwt)
}
