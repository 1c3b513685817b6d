//! Checks of the claims of a token with a valid signature: issuer, audience, validity period (RFC
//! 7519, RFC 9068).

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::error::VerifyError;
use genkit_mcp_server::Principal;

/// The expected claims.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedClaims {
    pub(crate) issuer: String,
    pub(crate) audiences: Vec<String>,
    /// The tolerated clock skew.
    pub(crate) leeway: Duration,
}

impl ExpectedClaims {
    /// Checks the claims at `now`, in seconds since the Unix epoch, and returns the principal that
    /// they identify.
    pub(crate) fn to_principal(
        &self,
        claims: Map<String, Value>,
        now: f64,
    ) -> Result<Principal, VerifyError> {
        if claims.get("iss").and_then(Value::as_str) != Some(&self.issuer) {
            return Err(VerifyError::Issuer(self.issuer.clone()));
        }
        let is_ours =
            |it: &Value| it.as_str().is_some_and(|it| self.audiences.iter().any(|our| our == it));
        let is_for_us = match claims.get("aud") {
            Some(Value::Array(audiences)) => audiences.iter().any(is_ours),
            Some(audience) => is_ours(audience),
            None => false,
        };
        if !is_for_us {
            return Err(VerifyError::Audience(self.audiences.join(" or ")));
        }
        let leeway = self.leeway.as_secs_f64();
        let time = |name| match claims.get(name) {
            None => Ok(None),
            Some(time) => time.as_f64().map(Some).ok_or(VerifyError::NotAJwt),
        };
        let expires = match time("exp")? {
            Some(expires) if now < expires + leeway => expires + leeway,
            Some(_) => return Err(VerifyError::Expired),
            // A token without an expiry would be valid forever.
            None => return Err(VerifyError::MissingExpiry),
        };
        for begins in [time("nbf")?, time("iat")?].into_iter().flatten() {
            if now < begins - leeway {
                return Err(VerifyError::NotYetValid);
            }
        }
        if claims.contains_key("cnf") {
            return Err(VerifyError::Bound);
        }
        let subject = claims.get("sub").and_then(Value::as_str).filter(|it| !it.is_empty());
        let principal = Principal::new(subject.ok_or(VerifyError::MissingSubject)?);
        let principal = principal.with_scopes(read_scopes(&claims)).with_claims(claims);
        let expiry = Duration::try_from_secs_f64(expires).ok();
        let expiry = expiry.and_then(|since| UNIX_EPOCH.checked_add(since));
        Ok(match expiry {
            Some(expiry) => principal.with_expiry(expiry),
            None => principal,
        })
    }
}

/// Reads the scopes. `scope` is a string of scopes separated by spaces (RFC 9068); some servers use
/// `scp` or a list instead.
fn read_scopes(claims: &Map<String, Value>) -> Vec<String> {
    match claims.get("scope").or_else(|| claims.get("scp")) {
        Some(Value::String(scopes)) => scopes.split_ascii_whitespace().map(str::to_owned).collect(),
        Some(Value::Array(scopes)) => {
            scopes.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
