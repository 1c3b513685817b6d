//! The settings of OAuth for one server.

use std::fmt;
use std::sync::Arc;

use genkit_oauth_client::DpopKey;
use reqwest::Url;

use super::assertion::SigningAlgorithm;
use super::credential_store::CredentialStore;
use super::dpop::Dpop;
use super::error::Error;
use super::identity_provider::IdentityProvider;
use crate::transport::by_identity::ByIdentity;
use crate::transport::redact::Redactor;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_http_client::internal::net::is_loopback;

/// OAuth 2.1: how to get access to a server that asks for it.
///
/// Nothing is asked before the server refuses a request. Then its authorization server is looked
/// up, this program registers there, the user consents in the browser, and the request is
/// sent again. The access is renewed without the user as long as the authorization server lets it;
/// where a server wants more than was given, the user is asked once more, at most once in ten
/// minutes for the same. While the user is asked, time limits of the host stand still.
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
/// // Without a user: a program that has a name and a secret of its own.
/// let reports = ServerConfig::http("https://reports.example.com/mcp")
///     .oauth(OAuth::client_credentials("nightly-job", "its secret"));
/// # let _ = (mail, reports);
/// ```
#[derive(Clone, Default, PartialEq)]
#[must_use = "it is used by `HttpTransport::oauth`"]
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
    /// What access is to be bound to.
    dpop: Option<ProofKey>,
}

/// The key that access is bound to.
#[derive(Clone, PartialEq)]
enum ProofKey {
    /// Another one in each run.
    New,
    Pem(String),
}

/// How access is asked for.
#[derive(Clone, Default, PartialEq)]
pub(super) enum GrantType {
    /// A user gives it.
    #[default]
    AuthorizationCode,
    ClientCredentials,
    /// What another issuer says of this program.
    JwtBearer(AssertionSource),
    /// What the identity provider of a user says of that user.
    IdentityAssertion(IdentityProvider),
}

/// How a program shows that it is the client of its id.
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

/// What brings the user to an address, and the answer back.
pub(super) type OnAuthorize =
    ByIdentity<dyn Fn(String) -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// What gives an assertion for the issuer of an authorization server.
pub(super) type AssertionSource =
    ByIdentity<dyn Fn(String) -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// The name of this program at the consent of the user, unless another is set.
const DEFAULT_NAME: &str = "Genkit";

impl OAuth {
    /// Authorization code with PKCE: asks the user.
    ///
    /// By default it is for a program in a terminal: the address to open is written to standard
    /// error and to `tracing` (as a warning), and the browser comes back to a free port of this
    /// machine. [`on_authorize`](Self::on_authorize) is for all others. The user has 5 minutes.
    ///
    /// This program becomes known to the authorization server by
    /// [`client_id`](Self::client_id), else by [`client_metadata_url`](Self::client_metadata_url)
    /// if the server takes it, else it registers there by itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Client credentials: access for this program itself, without a user, known by `id` and
    /// `secret`.
    ///
    /// ```
    /// let oauth = genkit::mcp::host::OAuth::client_credentials("nightly-job", "its secret");
    /// assert!(!format!("{oauth:?}").contains("its secret"));
    /// ```
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<String>) -> Self {
        let grant = GrantType::ClientCredentials;
        Self { grant, ..Self::new().client_id(id).client_secret(secret) }
    }

    /// Client credentials with a private key (RFC 7523): access for this program itself, without a
    /// user, known by `id` and a signed JWT. The key is PEM text, PKCS#8; it must fit the
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

    /// Workload identity federation (RFC 7523, the grant `jwt-bearer`): access for this program
    /// itself, without a user and without a secret. The platform that it runs on says who it is,
    /// with a JWT.
    ///
    /// `assertion` gets the issuer of the authorization server, which the JWT must be for (`aud`),
    /// and is called for each new access, since such a JWT soon ends. It counts as a secret: say the
    /// [`issuer`](Self::issuer) where the authorization server is elsewhere than the MCP server. With
    /// a [`client_secret`](Self::client_secret) this program says who it is by that as well.
    ///
    /// ```
    /// use genkit::mcp::host::OAuth;
    ///
    /// let oauth = OAuth::jwt_bearer("nightly-job", |_issuer| async {
    ///     // A token that Kubernetes keeps fresh.
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

    /// Enterprise-managed authorization (Identity Assertion JWT Authorization Grant): the identity
    /// provider of a company decides what its users get access to, and nobody is asked. It exchanges
    /// the ID token of the user, who has signed in already, for an assertion that is for one
    /// authorization server and one MCP server alone.
    ///
    /// The authorization server knows this program by `client_id`, and mostly by a
    /// [`client_secret`](Self::client_secret). The assertion counts as a secret: say the
    /// [`issuer`](Self::issuer) where the authorization server is elsewhere than the MCP server.
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

    /// Client id that the authorization server knows this program by. Say its
    /// [`issuer`](Self::issuer) as well.
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = Some(id.into());
        self
    }

    /// Client secret that belongs to [`client_id`](Self::client_id).
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.authentication = ClientAuthentication::Secret(secret.into());
        self
    }

    /// Issuer: the authorization server that the id and the secret are for: no other gets to see them.
    /// Default is that of the MCP server's own origin; where the server names one that is elsewhere, a
    /// secret needs this.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Client ID Metadata Document: where one about this program lies, as an `https` address with a
    /// path: authorization servers that read it need no registration.
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.metadata_url = Some(url.into());
        self
    }

    /// Scopes to ask for. Default are those that the server names in its refusal, else those of its
    /// metadata.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Client name: that of this program at the consent of the user. Default is `Genkit`.
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Redirect URI: where the browser comes back to. Default is `http://127.0.0.1/callback` at a
    /// free port. Without [`on_authorize`](Self::on_authorize) it must be on this machine, and its
    /// port is the one that is listened at.
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.redirect_uri = Some(uri.into());
        self
    }

    /// Authorization by the user, how it is asked for: gets the address to open, and returns the
    /// whole address that the browser came back with, `code` and `state` and all.
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
    ///         pasted().await.ok_or_else(|| Error::invalid_argument("nobody said yes"))
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

    /// Credential store: where access is kept between runs, for example in a
    /// [`FileCredentials`](super::FileCredentials). Default is nowhere: it is gone with the host.
    pub fn credentials(mut self, store: impl CredentialStore) -> Self {
        self.store = Some(ByIdentity(Arc::new(store)));
        self
    }

    /// Private network: whether the authorization server may be at a private address (`10.0.0.9`)
    /// although the MCP server's address is none. Default is no: a server from outside must not
    /// make this program send requests in its own network. Say yes for servers of an intranet.
    pub fn private_network(mut self, yes: bool) -> Self {
        self.private_network = yes;
        self
    }

    /// DPoP (RFC 9449): access is bound to a key of this program, and of no use to whoever takes only
    /// its token. Each request shows that the key is there. Default is no; the key is made when the host
    /// starts, for ES256.
    ///
    /// An authorization server that gives other tokens is refused. One at a private address must have
    /// a name.
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

    /// DPoP with a key that stays, as stored [`credentials`](Self::credentials) need it: PEM text,
    /// PKCS#8, on P-256 (`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`).
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

    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(DEFAULT_NAME)
    }

    /// Whether it sends what only one authorization server may see.
    pub(super) fn has_secret(&self) -> bool {
        let asserts =
            matches!(self.grant, GrantType::JwtBearer(_) | GrantType::IdentityAssertion(_));
        asserts || self.authentication != ClientAuthentication::None
    }

    /// Hides its secrets.
    pub(crate) fn hide_in(&self, redactor: &Redactor) {
        match &self.authentication {
            ClientAuthentication::None => {}
            ClientAuthentication::Secret(secret) => redactor.hide("client_secret", secret),
            ClientAuthentication::Key { pem, .. } => redactor.hide("private_key", pem),
        }
        if let GrantType::IdentityAssertion(provider) = &self.grant {
            provider.hide_in(redactor);
        }
        if let Some(ProofKey::Pem(pem)) = &self.dpop {
            redactor.hide("private_key", pem);
        }
    }

    /// What proofs are made with, if access is to be bound to a key.
    pub(super) fn new_dpop(&self) -> Result<Option<Dpop>, Error> {
        let key = match &self.dpop {
            None => return Ok(None),
            Some(ProofKey::New) => DpopKey::generate()?,
            Some(ProofKey::Pem(pem)) => DpopKey::es256(pem)?,
        };
        Ok(Some(Dpop::new(key)))
    }

    /// Checks what can be checked before anything is sent.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.authentication != ClientAuthentication::None && self.client_id.is_none() {
            return Err(Error::SecretWithoutId);
        }
        if let ClientAuthentication::Key { pem, algorithm } = &self.authentication {
            algorithm.signer(pem)?;
        }
        if let GrantType::IdentityAssertion(provider) = &self.grant {
            provider.checked()?;
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

/// Secrets and keys are not shown.
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
