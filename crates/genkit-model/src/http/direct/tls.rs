//! The TLS configuration, which matches that of reqwest: the platform's trusted certificates, and the
//! process's crypto provider.

use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls_platform_verifier::BuilderVerifierExt as _;

use genkit_core::Result;
use genkit_http_client::internal::net::{client_error, install_crypto};

/// Loading certificates takes time, so it is done once.
static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();

/// Returns the TLS configuration of all `https` connections, which offers only HTTP/1.1.
pub(super) fn tls_config() -> Result<Arc<ClientConfig>> {
    if let Some(config) = CONFIG.get() {
        return Ok(Arc::clone(config));
    }
    install_crypto();
    let provider = CryptoProvider::get_default().cloned();
    let provider = provider.unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()));
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_platform_verifier())
        .map_err(|error| client_error(&error))?;
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = alpn_protocols();
    // Another thread may have been faster; its certificates are the same.
    Ok(Arc::clone(CONFIG.get_or_init(|| Arc::new(config))))
}

/// Returns the protocols offered to servers.
pub(super) fn alpn_protocols() -> Vec<Vec<u8>> {
    vec![b"http/1.1".to_vec()]
}
