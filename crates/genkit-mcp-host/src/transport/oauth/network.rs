//! The network settings of an authorization server: certificates and a proxy.

use reqwest::Url;

use super::settings::OAuth;
use crate::transport::http_client::network::Network;

impl OAuth {
    /// Sets the client certificate (mTLS) for the authorization server: its chain and its private key, both in the same
    /// PEM. The certificate is sent only to the origin of the [`issuer`](Self::issuer), by default the origin of the
    /// MCP server. Default is none. An invalid certificate causes an error when the server is connected.
    ///
    /// The [client certificate of the MCP server](crate::config::HttpTransport::client_certificate) is not used for
    /// other origins. The MCP server's root certificates and proxy are also used for the authorization server.
    ///
    /// ```no_run
    /// use genkit::mcp::host::{OAuth, ServerConfig};
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let wiki = ServerConfig::http("https://wiki.internal.example.com/mcp")
    ///     .root_certificate(std::fs::read("company-ca.pem")?)
    ///     .oauth(
    ///         OAuth::client_credentials("assistant", "its secret")
    ///             .issuer("https://login.internal.example.com")
    ///             .client_certificate(std::fs::read("client-and-key.pem")?),
    ///     );
    /// # let _ = wiki;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client_certificate(mut self, pem: impl AsRef<[u8]>) -> Self {
        self.certificate = Some(pem.as_ref().to_vec());
        self
    }

    /// Sets the certificates and the proxy of the MCP server.
    pub(crate) fn with_network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// Returns whether the program sets certificates or a proxy.
    pub(super) fn has_network(&self) -> bool {
        self.certificate.is_some() || self.network != Network::default()
    }

    /// Returns the certificates and the proxy for a request to `url`, which authorizes requests to the MCP server
    /// `resource`. A client certificate identifies the program, so it is sent only to the origin that it was set for.
    pub(super) fn network_for(&self, url: &Url, resource: &Url) -> Network {
        let issuer = self.issuer.as_ref().and_then(|issuer| Url::parse(issuer).ok());
        let is_issuer = url.origin() == issuer.as_ref().unwrap_or(resource).origin();
        let is_server = url.origin() == resource.origin();
        let own = self.certificate.as_ref().filter(|_| is_issuer);
        let identity = own.or(self.network.identity.as_ref().filter(|_| is_server)).cloned();
        Network { identity, ..self.network.clone() }
    }
}
