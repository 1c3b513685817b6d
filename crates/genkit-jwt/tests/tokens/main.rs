//! Valid tokens, and attacks.

mod issuer;
mod keys;
mod signing;
mod tokens;
