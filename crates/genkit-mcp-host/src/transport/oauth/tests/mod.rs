//! Tests of OAuth over real sockets, with a fake server and a fake authorization server.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

pub(crate) mod access;
mod addresses;
mod client_credentials;
mod credential_store;
mod dpop;
mod identity_assertion;
mod jwt_bearer;
mod renewal;
