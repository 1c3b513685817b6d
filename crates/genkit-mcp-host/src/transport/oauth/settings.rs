//! The OAuth settings of one server.

use std::fmt;
use std::sync::Arc;

use genkit_oauth_client::DpopKey;
use reqwest::{Identity, Url};

use super::assertion::SigningAlgorithm;
use super::credential_store::CredentialStore;
use super::dpop::Dpop;
use super::error::Error;
use super::identity_provider::IdentityProvider;
use crate::transport::by_identity::ByIdentity;
use crate::transport::http_client::network::Network;
use crate::transport::redact::Redactor;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_http_client::internal::net::is_loopback;

/// OAuth 2.1 settings for a server that requires authorization.
///
/// The settings have no effect until the server rejects a request. The host then looks up the server's authorization
/// server, registers this program there, asks the user for consent in the browser, and resends the request. The token
/// is renewed without the user as long as the authorization server allows it. If a server requires more scopes than
/// were granted, the user is asked again, at most once every ten minutes for the same scopes. The host's time limits
/// are paused while the user is asked.
///
/// ```
/// use genkit::mcp::host::{FileCredentials, OAuth, ServerConfig};
///
/// let mail = ServerConfig::http("https://mail.example.com/mcp").oauth(
///     OAuth::new()
///         .client_name("My assistant")
///         .scopes(["mail.read"])
///         .credentials(FileCredentials::new("credentials.json")),
/// );
///
/// // Without a user: a program that has its own name and secret.
/// let reports = ServerConfig::http("https://reports.example.com/mcp")
///     .oauth(OAuth::client_credentials("nightly-job", "its secret"));
/// # let _ = (mail, reports);
/// ```
#[derive(Clone, Default, PartialEq)]
#[must_use = "pass it to `HttpTransport::oauth`"]
pub struct OAuth {
    pub(super) client_id: Option<String>,
    pub(super) authentication: ClientAuthentication,
    pub(super) grant: GrantType,
    pub(super) issuer: Option<String>,
    pub(super) metadata_url: Option<String>,
    pub(super) scopes: Vec<String>,
    pub(super) name: Option<String>,
    pub(super) redirect_uri: Option<String>,
    pub(super) on_authorize: Option<OnAuthorize>,
    pub(super) store: Option<ByIdentity<dyn CredentialStore>>,
    pub(super) private_network: bool,
    /// The key that tokens must be bound to, if any.
    dpop: Option<ProofKey>,
    /// The client certificate for the authorization server, in PEM.
    pub(super) certificate: Option<Vec<u8>>,
    /// The certificates and the proxy of the MCP server.
    pub(super) network: Network,
}

/// The key that tokens are bound to.
#[derive(Clone, PartialEq)]
enum ProofKey {
    /// A new key on each run.
    New,
    Pem(String),
}

/// The grant type.
#[derive(Clone, Default, PartialEq)]
pub(super) enum GrantType {
    /// The user grants access.
    #[default]
    AuthorizationCode,
    ClientCredentials,
    /// An assertion from another issuer about this program.
    JwtBearer(AssertionSource),
    /// An assertion from the user's identity provider about the user.
    IdentityAssertion(IdentityProvider),
}

/// The client authentication of this program.
#[derive(Clone, Default, PartialEq)]
pub(super) enum ClientAuthentication {
    #[default]
    None,
    Secret(String),
    Key {
        pem: String,
        algorithm: SigningAlgorithm,
    },
}

/// A handler that sends the user to a URL, and returns the URL that the browser was redirected to.
pub(super) type OnAuthorize =
    ByIdentity<dyn Fn(String) -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// A function that returns an assertion for the issuer of an authorization server.
pub(super) type AssertionSource =
    ByIdentity<dyn Fn(String) -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// The name of this program on the consent page. Default is `Genkit`.
const DEFAULT_NAME: &str = "Genkit";

impl OAuth {
    /// Creates settings for the authorization code grant with PKCE, which asks the user.
    ///
    /// By default, the grant works for programs in a terminal: the URL to open is written to standard error and logged
    /// as a warning, and the browser is redirected to a free local port. For all other programs, set
    /// [`on_authorize`](Self::on_authorize). The user has 5 minutes to grant access.
    ///
    /// The program identifies itself to the authorization server with its [`client_id`](Self::client_id) if set.
    /// Otherwise it uses [`client_metadata_url`](Self::client_metadata_url) if the server supports that, or else
    /// registers dynamically.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates settings for the client credentials grant: access for this program itself, without a user, authenticated
    /// with `id` and `secret`.
    ///
    /// ```
    /// let oauth = genkit::mcp::host::OAuth::client_credentials("nightly-job", "its secret");
    /// assert!(!format!("{oauth:?}").contains("its secret"));
    /// ```
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<String>) -> Self {
        let grant = GrantType::ClientCredentials;
        Self { grant, ..Self::new().client_id(id).client_secret(secret) }
    }

    /// Creates settings for the client credentials grant with a private key (RFC 7523): access for this program itself,
    /// without a user, authenticated with `id` and a signed JWT. The key is PEM text (PKCS#8) and must match the
    /// algorithm.
    pub fn client_credentials_jwt(
        id: impl Into<String>,
        private_key_pem: impl Into<String>,
        algorithm: SigningAlgorithm,
    ) -> Self {
        let authentication = ClientAuthentication::Key { pem: private_key_pem.into(), algorithm };
        let grant = GrantType::ClientCredentials;
        Self { grant, authentication, ..Self::new().client_id(id) }
    }

    /// Creates settings for workload identity federation (RFC 7523, grant `jwt-bearer`): access for this program
    /// itself, without a user or a secret. The platform that the program runs on vouches for it with a JWT.
    ///
    /// `assertion` receives the issuer of the authorization server, which must be the audience (`aud`) of the JWT. It
    /// is called for each new token, because these JWTs are short-lived. The JWT is treated as a secret: set the
    /// [`issuer`](Self::issuer) if the authorization server is not on the MCP server's origin. If a
    /// [`client_secret`](Self::client_secret) is set, it is sent as well.
    ///
    /// ```
    /// use genkit::mcp::host::OAuth;
    ///
    /// let oauth = OAuth::jwt_bearer("nightly-job", |_issuer| async {
    ///     // A token that Kubernetes keeps up to date.
    ///     Ok(std::fs::read_to_string("/var/run/secrets/tokens/mcp")?)
    /// });
    /// # let _ = oauth;
    /// ```
    pub fn jwt_bearer<F, Fut>(client_id: impl Into<String>, assertion: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String>> + Send + 'static,
    {
        let source: AssertionSource =
            ByIdentity(Arc::new(move |issuer| Box::pin(assertion(issuer))));
        Self { grant: GrantType::JwtBearer(source), ..Self::new().client_id(client_id) }
    }

    /// Creates settings for enterprise-managed authorization (Identity Assertion JWT Authorization Grant): a company's
    /// identity provider decides what its users can access, so they are not asked. The provider exchanges the ID token
    /// of the signed-in user for an assertion that is valid for one authorization server and one MCP server.
    ///
    /// The authorization server identifies this program by `client_id`, and usually also requires a
    /// [`client_secret`](Self::client_secret). The assertion is treated as a secret: set the [`issuer`](Self::issuer)
    /// if the authorization server is not on the MCP server's origin.
    ///
    /// ```
    /// use genkit::mcp::host::{IdentityProvider, OAuth, ServerConfig};
    ///
    /// # async fn id_token_of_this_session() -> genkit::Result<String> { Ok(String::new()) }
    /// let provider = IdentityProvider::new("https://idp.example.com/token", "assistant", || async {
    ///     id_token_of_this_session().await
    /// });
    /// let wiki = ServerConfig::http("https://wiki.example.com/mcp").oauth(
    ///     OAuth::identity_assertion("assistant-at-wiki", provider)
    ///         .client_secret("its secret")
    ///         .issuer("https://auth.example.com"),
    /// );
    /// # let _ = wiki;
    /// ```
    pub fn identity_assertion(client_id: impl Into<String>, provider: IdentityProvider) -> Self {
        let grant = GrantType::IdentityAssertion(provider);
        Self { grant, ..Self::new().client_id(client_id) }
    }

    /// Sets the client id of this program at the authorization server. Also set the [`issuer`](Self::issuer) of the
    /// authorization server.
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = Some(id.into());
        self
    }

    /// Sets the client secret that belongs to [`client_id`](Self::client_id).
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.authentication = ClientAuthentication::Secret(secret.into());
        self
    }

    /// Sets the issuer, the only authorization server that may receive the id and the secret. Default is the
    /// authorization server on the MCP server's own origin. The issuer is required if the server uses another
    /// authorization server and a secret is set.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets the URL of this program's Client ID Metadata Document: an `https` URL with a path.
    /// Authorization servers that support such documents do not require the client to register.
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.metadata_url = Some(url.into());
        self
    }

    /// Sets the scopes to request. Default is the scopes that the server names in its challenge, or else the scopes in
    /// its metadata.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the client name that is shown on the consent page. Default is `Genkit`.
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the redirect URI, to which the browser is redirected after consent. Default is `http://127.0.0.1/callback`
    /// with a free port. Without [`on_authorize`](Self::on_authorize) it must be on this machine, and the host listens
    /// on its port.
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.redirect_uri = Some(uri.into());
        self
    }

    /// Sets a handler that asks the user for authorization: it receives the URL to open, and
    /// returns the complete URL that the browser was redirected to, including `code` and `state`.
    ///
    /// ```
    /// use genkit::Error;
    /// use genkit::mcp::host::OAuth;
    ///
    /// # async fn show(_: &str) {}
    /// # async fn pasted() -> Option<String> { None }
    /// let oauth = OAuth::new().redirect_uri("https://app.example.com/back").on_authorize(
    ///     |url| async move {
    ///         show(&url).await;
    ///         pasted().await.ok_or_else(|| Error::invalid_argument("sign-in was cancelled"))
    ///     },
    /// );
    /// # let _ = oauth;
    /// ```
    pub fn on_authorize<F, Fut>(mut self, ask: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String>> + Send + 'static,
    {
        self.on_authorize = Some(ByIdentity(Arc::new(move |url| Box::pin(ask(url)))));
        self
    }

    /// Sets the credential store, which keeps tokens between runs, for example in a
    /// [`FileCredentials`](super::FileCredentials). Default is none: tokens are lost when the host is dropped.
    pub fn credentials(mut self, store: impl CredentialStore) -> Self {
        self.store = Some(ByIdentity(Arc::new(store)));
        self
    }

    /// Sets whether the authorization server may be on a private network (`10.0.0.9`) although the MCP server is on a
    /// public network. Default is `false`: a public server must not make this program send requests into a private
    /// network. Set it to `true` for intranet servers. With DPoP, certificates or a proxy, the authorization server
    /// must then have a host name.
    pub fn private_network(mut self, yes: bool) -> Self {
        self.private_network = yes;
        self
    }

    /// Binds tokens to a key of this program with DPoP (RFC 9449), so that a stolen token is useless without the key.
    /// Each request proves possession of the key. Default is `false`. The key, for ES256, is generated when the host
    /// starts.
    ///
    /// An authorization server that issues unbound tokens is rejected. An authorization server on a private network
    /// must have a host name.
    ///
    /// ```
    /// use genkit::mcp::host::{OAuth, ServerConfig};
    ///
    /// let bank = ServerConfig::http("https://bank.example.com/mcp").oauth(OAuth::new().dpop(true));
    /// # let _ = bank;
    /// ```
    pub fn dpop(mut self, yes: bool) -> Self {
        self.dpop = yes.then(|| self.dpop.take().unwrap_or(ProofKey::New));
        self
    }

    /// Uses DPoP with a permanent key, which stored [`credentials`](Self::credentials) require: PEM text (PKCS#8) on
    /// P-256 (`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`).
    ///
    /// ```
    /// # fn example() -> genkit::Result<()> {
    /// use genkit::mcp::host::{FileCredentials, OAuth};
    ///
    /// let oauth = OAuth::new()
    ///     .credentials(FileCredentials::new("credentials.json"))
    ///     .dpop_key(std::fs::read_to_string("dpop.pem")?);
    /// # let _ = oauth;
    /// # Ok(())
    /// # }
    /// ```
    pub fn dpop_key(mut self, pem: impl Into<String>) -> Self {
        self.dpop = Some(ProofKey::Pem(pem.into()));
        self
    }

    pub(super) fn grant_name(&self) -> &str {
        self.name.as_deref().unwrap_or(DEFAULT_NAME)
    }

    /// Returns whether the settings contain secrets, which only one authorization server may receive.
    pub(super) fn has_secret(&self) -> bool {
        let asserts =
            matches!(self.grant, GrantType::JwtBearer(_) | GrantType::IdentityAssertion(_));
        asserts || self.authentication != ClientAuthentication::None
    }

    /// Adds its secrets to the redactor.
    pub(crate) fn hide_in(&self, redactor: &Redactor) {
        match &self.authentication {
            ClientAuthentication::None => {}
            ClientAuthentication::Secret(secret) => redactor.add_secret("client_secret", secret),
            ClientAuthentication::Key { pem, .. } => redactor.add_secret("private_key", pem),
        }
        if let GrantType::IdentityAssertion(provider) = &self.grant {
            provider.hide_in(redactor);
        }
        if let Some(ProofKey::Pem(pem)) = &self.dpop {
            redactor.add_secret("private_key", pem);
        }
    }

    /// Creates the DPoP signer if tokens must be bound to a key.
    pub(super) fn new_dpop(&self) -> Result<Option<Dpop>, Error> {
        let key = match &self.dpop {
            None => return Ok(None),
            Some(ProofKey::New) => DpopKey::generate()?,
            Some(ProofKey::Pem(pem)) => DpopKey::from_es256_pem(pem)?,
        };
        Ok(Some(Dpop::new(key)))
    }

    /// Checks the settings before anything is sent.
    pub(super) fn check_settings(&self) -> Result<(), Error> {
        if self.authentication != ClientAuthentication::None && self.client_id.is_none() {
            return Err(Error::SecretWithoutId);
        }
        if let ClientAuthentication::Key { pem, algorithm } = &self.authentication {
            algorithm.make_signer(pem)?;
        }
        if let GrantType::IdentityAssertion(provider) = &self.grant {
            provider.parse_token_endpoint()?;
        }
        if self.certificate.as_ref().is_some_and(|pem| Identity::from_pem(pem).is_err()) {
            return Err(Error::ClientCertificate);
        }
        if self.store.is_some() && self.dpop == Some(ProofKey::New) {
            return Err(Error::KeyWouldBeLost);
        }
        if let Some(url) = &self.metadata_url {
            let url = Url::parse(url).map_err(|_| Error::MetadataUrl)?;
            if url.scheme() != "https" || url.path() == "/" {
                return Err(Error::MetadataUrl);
            }
        }
        if let Some(uri) = &self.redirect_uri {
            let uri = Url::parse(uri).map_err(|_| Error::RedirectUri)?;
            let is_here = uri.scheme() == "http" && is_loopback(&uri);
            if self.on_authorize.is_none() && !is_here {
                return Err(Error::RedirectElsewhere);
            }
        }
        Ok(())
    }
}

impl fmt::Debug for GrantType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AuthorizationCode => "authorization_code",
            Self::ClientCredentials => "client_credentials",
            Self::JwtBearer(_) => "jwt-bearer",
            Self::IdentityAssertion(_) => "identity assertion",
        })
    }
}

/// Omits secrets and keys.
impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("client_id", &self.client_id)
            .field("grant", &self.grant)
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .field("dpop", &self.dpop.is_some())
            .finish_non_exhaustive()
    }
}
