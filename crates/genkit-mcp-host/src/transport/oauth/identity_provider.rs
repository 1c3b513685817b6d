//! The identity provider of a user, which vouches for the user at other servers (RFC 8693).

use std::fmt;
use std::sync::Arc;

use reqwest::Url;

use super::assertion::await_token;
use super::error::Error;
use super::settings::OAuth;
use super::token_endpoint::TokenRequest;
use crate::transport::by_identity::ByIdentity;
use crate::transport::http_client::addresses::AddressPolicy;
use crate::transport::http_client::client::without_secrets;
use crate::transport::http_client::error::HttpError;
use crate::transport::redact::Redactor;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_http_client::internal::net::{install_crypto, is_loopback};

const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

type IdTokenSource = ByIdentity<dyn Fn() -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// The identity provider of a company, where the company's users sign in once, with this program's client credentials
/// at the provider.
///
/// ```
/// use genkit::mcp::host::IdentityProvider;
///
/// # async fn id_token_of_this_session() -> genkit::Result<String> { Ok(String::new()) }
/// let provider = IdentityProvider::new("https://idp.example.com/token", "assistant", || async {
///     id_token_of_this_session().await
/// })
/// .client_secret("its secret");
/// assert!(!format!("{provider:?}").contains("its secret"));
/// ```
#[derive(Clone, PartialEq)]
#[must_use = "pass it to `OAuth::identity_assertion`"]
pub struct IdentityProvider {
    token_endpoint: String,
    client_id: String,
    client_secret: Option<String>,
    id_token: IdTokenSource,
}

/// The audience and scope of an assertion.
pub(super) struct AssertionFor<'a> {
    /// The issuer of the authorization server.
    pub(super) audience: &'a str,
    /// The MCP server.
    pub(super) resource: &'a Url,
    pub(super) scopes: &'a [String],
}

impl IdentityProvider {
    /// Creates an identity provider with this token endpoint, where this program has the id `client_id`. `id_token`
    /// returns the ID token of the signed-in user; it is called whenever a new access token is needed.
    ///
    /// The endpoint must use `https` or be on this machine; a name that resolves to a private address needs
    /// [`OAuth::private_network`](super::OAuth::private_network).
    pub fn new<F, Fut>(
        token_endpoint: impl Into<String>,
        client_id: impl Into<String>,
        id_token: F,
    ) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String>> + Send + 'static,
    {
        Self {
            token_endpoint: token_endpoint.into(),
            client_id: client_id.into(),
            client_secret: None,
            id_token: ByIdentity(Arc::new(move || Box::pin(id_token()))),
        }
    }

    /// Sets the client secret for its `client_id`. It is sent in a header (`client_secret_basic`).
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    pub(super) fn hide_in(&self, redactor: &Redactor) {
        if let Some(secret) = &self.client_secret {
            redactor.add_secret("client_secret", secret);
        }
    }

    /// Returns the checked URL of its token endpoint.
    pub(super) fn parse_token_endpoint(&self) -> Result<Url, Error> {
        let url = Url::parse(&self.token_endpoint)
            .map_err(|fault| Error::InvalidTokenEndpoint(fault.to_string()))?;
        match url.scheme() {
            "https" => Ok(url),
            "http" if is_loopback(&url) => Ok(url),
            _ => Err(Error::ProviderNotEncrypted(without_secrets(&url).to_string())),
        }
    }

    /// Exchanges the user's ID token for an identity assertion (ID-JAG).
    pub(super) async fn request_assertion(
        &self,
        wanted: AssertionFor<'_>,
        oauth: &OAuth,
        redactor: &Redactor,
    ) -> Result<String, HttpError> {
        let endpoint = self.parse_token_endpoint()?;
        install_crypto();
        let id_token =
            await_token((self.id_token)(), "IdentityProvider::new(..)", "ID token").await?;
        redactor.hide_for_now("id_token", &id_token);
        let addresses = AddressPolicy::for_resource(&endpoint, oauth.private_network);
        let network = oauth.network_for(&endpoint, wanted.resource);
        let request = TokenRequest::new(endpoint, TOKEN_EXCHANGE)
            .with_field("requested_token_type", ID_JAG)
            .with_field("subject_token", id_token)
            .with_field("subject_token_type", ID_TOKEN)
            .with_field("audience", wanted.audience)
            .with_field("resource", wanted.resource.as_str())
            .with_scopes(wanted.scopes);
        let request = match &self.client_secret {
            Some(secret) => request.basic_auth(&self.client_id, secret),
            None => request.with_field("client_id", &self.client_id),
        };
        let answer = request.send_request(&addresses, &network, None, redactor).await;
        let answer = answer.map_err(|failure| failure.with_prefix(Error::IssuerNotTrusted))?;
        match (answer["issued_token_type"].as_str(), answer["access_token"].as_str()) {
            (Some(ID_JAG), Some(assertion)) => Ok(assertion.to_owned()),
            _ => Err(Error::MissingIdJag.into()),
        }
    }
}

/// Omits the secret.
impl fmt::Debug for IdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityProvider")
            .field(
                "token_endpoint",
                &self.parse_token_endpoint().map(|url| without_secrets(&url).to_string()),
            )
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}
