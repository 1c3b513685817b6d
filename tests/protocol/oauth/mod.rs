//! OAuth with a third-party authorization server (npm's `oidc-provider`). The resource server is one of this library;
//! the clients are its host and the TypeScript SDK.

mod clients;
pub(crate) mod provider;
pub(crate) mod resource;
mod tokens;
