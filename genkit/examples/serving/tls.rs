//! TLS with a custom acceptor on a bound socket: the guide page `tls`.

use genkit::{ErrorContext as _, Result, tool};
use std::{io, net::TcpListener, sync::Arc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::{Error, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto::ring};

/// Returns a secret.
#[tool(read_only)]
async fn whisper() -> &'static str {
    "between us"
}

/// Creates an acceptor from a PEM file of certificates and a PEM file with the key.
fn acceptor(certificates: &str, key: &str) -> Result<TlsAcceptor> {
    let wrong = |path: &str, why: Error| io::Error::other(format!("{path}: {why}"));
    let chain = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect)
        .map_err(|why| wrong(certificates, why))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|why| wrong(key, why))?;
    let provider = Arc::new(ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth() // or a client certificate verifier, for mutual TLS
        .with_single_cert(chain, key)
        .map_err(io::Error::other)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let env = |name: &str, or: &str| std::env::var(name).unwrap_or_else(|_| or.into());
    let token = std::env::var("TOKEN").context("the variable `TOKEN` is not set")?;
    let tls = acceptor(&env("TLS_CERT", "cert.pem"), &env("TLS_KEY", "key.pem"))?;
    let listener = TcpListener::bind(env("LISTEN", "0.0.0.0:8443"))?;
    genkit::serve_mcp()
        .listener(listener)
        .accept_with(move |stream| {
            let tls = tls.clone();
            async move { tls.accept(stream).await } // times out after 30 seconds
        })
        .allowed_hosts([env("PUBLIC_HOST", "localhost")]) // the name in the certificate
        .bearer_token(token)
        .health("/health")
        .await
}
