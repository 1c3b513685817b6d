//! The identity provider of a user, which tells other servers who that is (RFC 8693).

use std::fmt;
use std::sync::Arc;

use reqwest::Url;

use super::assertion::given;
use super::error::Error;
use super::token_endpoint::TokenRequest;
use crate::transport::by_identity::ByIdentity;
use crate::transport::http_client::addresses::AddressPolicy;
use crate::transport::http_client::failure::HttpFailure;
use crate::transport::http_client::url::without_secrets;
use crate::transport::redact::Redactor;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_http_client::internal::net::{install_crypto, is_loopback};

const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

type IdTokenSource = ByIdentity<dyn Fn() -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// Identity provider of a company: where its users sign in once, and what it knows this program by.
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
#[must_use = "it is used by `OAuth::identity_assertion`"]
pub struct IdentityProvider {
    token_endpoint: String,
    client_id: String,
    client_secret: Option<String>,
    id_token: IdTokenSource,
}

/// What an assertion is to be for.
pub(super) struct AssertionFor<'a> {
    /// The issuer of the authorization server.
    pub(super) audience: &'a str,
    /// The MCP server.
    pub(super) resource: &'a Url,
    pub(super) scopes: &'a [String],
}

impl IdentityProvider {
    /// The identity provider with this token endpoint, which knows this program as `client_id`.
    /// `id_token` gives the ID token of the user who has signed in, whenever there is need for new access.
    ///
    /// The address is `https`, or on this machine; a name that leads to a private address needs
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

    /// The secret that belongs to its `client_id`. It is sent in a header (`client_secret_basic`).
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    pub(super) fn hide_in(&self, redactor: &Redactor) {
        if let Some(secret) = &self.client_secret {
            redactor.hide("client_secret", secret);
        }
    }

    /// The address of its token endpoint.
    pub(super) fn checked(&self) -> Result<Url, Error> {
        let url = Url::parse(&self.token_endpoint)
            .map_err(|fault| Error::NoProviderAddress(fault.to_string()))?;
        match url.scheme() {
            "https" => Ok(url),
            "http" if is_loopback(&url) => Ok(url),
            _ => Err(Error::ProviderNotEncrypted(without_secrets(&url).to_string())),
        }
    }

    /// Exchanges the ID token of the user for an assertion of who that is (ID-JAG).
    pub(super) async fn assertion(
        &self,
        wanted: AssertionFor<'_>,
        private_network: bool,
        redactor: &Redactor,
    ) -> Result<String, HttpFailure> {
        let endpoint = self.checked()?;
        install_crypto();
        let id_token = given((self.id_token)(), "IdentityProvider::new(..)", "ID token").await?;
        redactor.hide_for_now("id_token", &id_token);
        let addresses = AddressPolicy::of(&endpoint, private_network);
        let request = TokenRequest::new(endpoint, TOKEN_EXCHANGE)
            .with("requested_token_type", ID_JAG)
            .with("subject_token", id_token)
            .with("subject_token_type", ID_TOKEN)
            .with("audience", wanted.audience)
            .with("resource", wanted.resource.as_str())
            .with_scopes(wanted.scopes);
        let request = match &self.client_secret {
            Some(secret) => request.basic_auth(&self.client_id, secret),
            None => request.with("client_id", &self.client_id),
        };
        let answer = request.send(&addresses, None, redactor).await;
        let answer = answer.map_err(|failure| failure.within(Error::NotVouchedFor))?;
        match (answer["issued_token_type"].as_str(), answer["access_token"].as_str()) {
            (Some(ID_JAG), Some(assertion)) => Ok(assertion.to_owned()),
            _ => Err(Error::NoIdJag.into()),
        }
    }
}

/// The secret is not shown.
impl fmt::Debug for IdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityProvider")
            .field("token_endpoint", &self.checked().map(|url| without_secrets(&url).to_string()))
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}
