//! OAuth access to MCP servers that require it.

mod assertion;
mod authorization_client;
mod authorization_code;
mod authorizer;
mod challenge;
mod consent;
mod credential_store;
mod credentials;
mod discovery;
mod dpop;
mod error;
mod identity_provider;
mod network;
mod non_interactive;
mod settings;
#[cfg(test)]
pub(crate) mod tests;
mod token_endpoint;

pub use assertion::SigningAlgorithm;
pub(crate) use authorizer::Authorizer;
pub(crate) use challenge::{Challenge, refuses_proof, wants_nonce};
pub use credential_store::{CredentialStore, FileCredentials};
pub(crate) use dpop::Dpop;
pub use identity_provider::IdentityProvider;
pub use settings::OAuth;
