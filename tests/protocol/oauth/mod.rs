//! OAuth with an authorization server that others wrote (npm's `oidc-provider`): our server is the resource,
//! our host and the TypeScript SDK are the clients.

mod clients;
pub(crate) mod provider;
pub(crate) mod resource;
mod tokens;
