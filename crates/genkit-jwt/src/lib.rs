//! JWTs as access tokens (RFC 9068): verifies signatures with the keys that the issuer publishes,
//! and checks the claims.
//!
//! ```text
//! token ─ token.rs: three parts ─ algorithm allowed? ─ keys.rs: which key ─ signature ─ claims.rs ─ Principal
//!                                                        │ unknown or old
//!                                                     fetch.rs: metadata, JWKS
//! ```

mod algorithm;
mod builder;
mod claims;
mod error;
mod fetch;
mod jwk;
mod keys;
mod token;
mod verifier;

pub use algorithm::JwtAlgorithm;
pub use builder::JwtVerifierBuilder;
pub use verifier::JwtVerifier;
