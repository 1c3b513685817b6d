//! Tokens that are taken, and attacks.

mod issuer;
mod keys;
mod signing;
mod tokens;
