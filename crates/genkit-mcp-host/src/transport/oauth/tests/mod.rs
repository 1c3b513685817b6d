//! Access over real sockets, from a server and an authorization server that are made up.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

pub(crate) mod access;
mod addresses;
mod client_credentials;
mod credential_store;
mod dpop;
mod identity_assertion;
mod jwt_bearer;
mod renewal;
