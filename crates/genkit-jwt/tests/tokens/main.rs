//! Tests of valid tokens and of attacks.

mod issuer;
mod keys;
mod signing;
mod tokens;
