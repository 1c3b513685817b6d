//! The network settings of a server: certificates and a proxy.

use reqwest::{Certificate, ClientBuilder, Identity, Proxy, Url};

use crate::transport::redact::Redactor;
use genkit_core::Result;
use genkit_core::internal::error::Error as CoreError;

/// Certificates and a proxy for one server.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Network {
    /// Root certificates in PEM, in addition to those of the system.
    pub(crate) roots: Vec<Vec<u8>>,
    /// The client certificate and its key, in PEM.
    pub(crate) identity: Option<Vec<u8>>,
    pub(crate) proxy: Option<String>,
}

/// An error in these settings. Its text contains no certificate, key or password.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(
        "`.root_certificate(..)` has no certificate in PEM; expected `-----BEGIN CERTIFICATE-----`"
    )]
    Root,
    #[error(
        "`.client_certificate(..)` is not a certificate with its private key in PEM; pass both in one string, each with \
         its `-----BEGIN ..-----` line"
    )]
    Identity,
    #[error("`.proxy(..)` is not a proxy URL; expected `http://host:port`")]
    Proxy,
}

impl Network {
    /// Applies the settings to the client of one server.
    ///
    /// # Errors
    /// Returns an error if a certificate or the proxy is invalid.
    pub(crate) fn apply_to(&self, builder: ClientBuilder) -> Result<ClientBuilder> {
        self.try_apply_to(builder).map_err(|error| CoreError::invalid_argument(error.to_string()))
    }

    fn try_apply_to(&self, mut builder: ClientBuilder) -> Result<ClientBuilder, Error> {
        let mut roots = Vec::new();
        for pem in &self.roots {
            let found = Certificate::from_pem_bundle(pem).map_err(|_| Error::Root)?;
            if found.is_empty() {
                return Err(Error::Root);
            }
            roots.extend(found);
        }
        if !roots.is_empty() {
            builder = builder.tls_certs_merge(roots);
        }
        if let Some(pem) = &self.identity {
            builder = builder.identity(Identity::from_pem(pem).map_err(|_| Error::Identity)?);
        }
        if let Some(proxy) = &self.proxy {
            let url = Url::parse(proxy).map_err(|_| Error::Proxy)?;
            if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
                return Err(Error::Proxy);
            }
            builder = builder.proxy(Proxy::all(url).map_err(|_| Error::Proxy)?);
        }
        Ok(builder)
    }

    /// Adds the secrets of these settings to a redactor.
    pub(crate) fn hide_in(&self, redactor: &Redactor) {
        if let Some(Ok(url)) = self.proxy.as_deref().map(Url::parse) {
            redactor.add_secret("proxy password", url.password().unwrap_or_default());
        }
    }
}
