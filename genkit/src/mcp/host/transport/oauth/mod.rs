//! Access to a server that asks for OAuth.

pub(crate) mod assertion;
pub(crate) mod authorization_code;
pub(crate) mod authorizer;
pub(crate) mod challenge;
pub(crate) mod client_credentials;
pub(crate) mod consent;
pub(crate) mod credential_store;
pub(crate) mod credentials;
pub(crate) mod discovery;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

#[cfg(test)]
pub(crate) use assertion::Signer;
pub use assertion::SigningAlgorithm;
pub(crate) use authorizer::Authorizer;
pub(crate) use challenge::Challenge;
pub use credential_store::{CredentialStore, FileCredentials, Storing};
use reqwest::Url;

use crate::error::{Error, Result};
use crate::net::is_loopback;

/// How to get access to a server that asks for OAuth 2.1.
///
/// Nothing is asked before the server refuses a request. Then its authorization server is looked
/// up, this program makes itself known there, a person says yes in the browser, and the request is
/// sent again. The access is renewed without a person as long as the authorization server lets it;
/// where a server wants more than was given, the person is asked once more, at most once in ten
/// minutes for the same. While a person is asked, time limits of the host stand still.
///
/// ```
/// use genkit::mcp::{FileCredentials, HttpServer, OAuth};
///
/// let mail = HttpServer::new("https://mail.example.com/mcp").oauth(
///     OAuth::new()
///         .client_name("My assistant")
///         .scopes(["mail.read"])
///         .credentials(FileCredentials::new("credentials.json")),
/// );
///
/// // Without a person: a program that has a name and a secret of its own.
/// let reports = HttpServer::new("https://reports.example.com/mcp")
///     .oauth(OAuth::client_credentials("nightly-job", "its secret"));
/// # let _ = (mail, reports);
/// ```
#[derive(Clone)]
#[must_use = "it is used by `HttpServer::oauth`"]
pub struct OAuth {
    pub(crate) client: Option<String>,
    pub(crate) proof: Proof,
    /// Whether the program has access of its own, without a person.
    pub(crate) machine: bool,
    pub(crate) issuer: Option<String>,
    pub(crate) metadata_url: Option<String>,
    pub(crate) scopes: Vec<String>,
    pub(crate) name: String,
    pub(crate) redirect_uri: Option<String>,
    pub(crate) ask: Option<Ask>,
    pub(crate) store: Option<Arc<dyn CredentialStore>>,
    pub(crate) private_network: bool,
}

/// How a program shows that it is the one that it says.
#[derive(Clone, PartialEq)]
pub(crate) enum Proof {
    None,
    Secret(String),
    Key { pem: String, algorithm: SigningAlgorithm },
}

/// What brings a person to an address, and the answer back.
pub(crate) type Ask = Arc<dyn Fn(String) -> Asking + Send + Sync>;
pub(crate) type Asking = Pin<Box<dyn Future<Output = Result<String>> + Send>>;

/// What a person is told who asks us, unless the user says so.
const DEFAULT_NAME: &str = "Genkit";

impl Default for OAuth {
    fn default() -> Self {
        Self::new()
    }
}

impl OAuth {
    /// Asks a person, with an authorization code and PKCE.
    ///
    /// By default it is for a program in a terminal: the address to open is written to standard
    /// error and to `tracing` (as a warning), and the browser comes back to a free port of this
    /// machine. [`on_authorize`](Self::on_authorize) is for all others. A person has 5 minutes.
    ///
    /// This program becomes known to the authorization server by
    /// [`client_id`](Self::client_id), else by [`client_metadata_url`](Self::client_metadata_url)
    /// if the server takes it, else it registers there by itself.
    pub fn new() -> Self {
        Self {
            client: None,
            proof: Proof::None,
            machine: false,
            issuer: None,
            metadata_url: None,
            scopes: Vec::new(),
            name: DEFAULT_NAME.to_owned(),
            redirect_uri: None,
            ask: None,
            store: None,
            private_network: false,
        }
    }

    /// Access for this program itself, without a person: it is known by `id` and `secret`.
    ///
    /// ```
    /// let oauth = genkit::mcp::OAuth::client_credentials("nightly-job", "its secret");
    /// assert!(!format!("{oauth:?}").contains("its secret"));
    /// ```
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<String>) -> Self {
        Self { machine: true, ..Self::new().client_id(id).client_secret(secret) }
    }

    /// Access for this program itself, without a person: it is known by `id` and signs with a
    /// private key (RFC 7523). The key is PEM text, PKCS#8; it must fit the algorithm.
    pub fn client_credentials_jwt(
        id: impl Into<String>,
        private_key_pem: impl Into<String>,
        algorithm: SigningAlgorithm,
    ) -> Self {
        let proof = Proof::Key { pem: private_key_pem.into(), algorithm };
        Self { machine: true, proof, ..Self::new().client_id(id) }
    }

    /// The id that the authorization server knows this program by. Say its
    /// [`issuer`](Self::issuer) as well.
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client = Some(id.into());
        self
    }

    /// The secret that belongs to [`client_id`](Self::client_id).
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.proof = Proof::Secret(secret.into());
        self
    }

    /// The authorization server that the id and the secret are for. Default is whichever the MCP
    /// server names; with an issuer no other gets to see them.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Where a document about this program lies, as an `https` address with a path: authorization
    /// servers that read it (Client ID Metadata Documents) need no registration.
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.metadata_url = Some(url.into());
        self
    }

    /// What access is asked for. Default is what the server asks for in its refusal, else what it
    /// says that it needs.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// What the person is told who asks. Default is `Genkit`.
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where the browser comes back to. Default is `http://127.0.0.1/callback` at a free port.
    /// Without [`on_authorize`](Self::on_authorize) it must be on this machine, and its port is
    /// the one that is listened at.
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.redirect_uri = Some(uri.into());
        self
    }

    /// How a person is asked: gets the address to open, and returns the whole address that the
    /// browser came back with, `code` and `state` and all.
    ///
    /// ```
    /// use genkit::Error;
    /// use genkit::mcp::OAuth;
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
        self.ask = Some(Arc::new(move |url| Box::pin(ask(url))));
        self
    }

    /// Where access is kept between runs, for example in a [`FileCredentials`]. Default is
    /// nowhere: it is gone with the host.
    pub fn credentials(mut self, store: impl CredentialStore) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Whether the authorization server may be at a private address (`10.0.0.9`) although the MCP
    /// server's address does not say so by itself. Default is no: a server from outside must not
    /// make this program ask around in its own network. Say yes for servers of an intranet.
    pub fn private_network(mut self, yes: bool) -> Self {
        self.private_network = yes;
        self
    }

    /// Checks what can be checked before anything is sent.
    fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(Error::invalid_argument(text));
        if self.proof != Proof::None && self.client.is_none() {
            return wrong("`.client_secret(..)` needs the `.client_id(..)` that it belongs to");
        }
        if let Proof::Key { pem, algorithm } = &self.proof {
            assertion::Signer::new(pem, *algorithm)?;
        }
        if let Some(url) = &self.metadata_url {
            let good =
                Url::parse(url).is_ok_and(|url| url.scheme() == "https" && url.path() != "/");
            if !good {
                return wrong("`.client_metadata_url(..)` must be an `https` address with a path");
            }
        }
        let Some(uri) = &self.redirect_uri else { return Ok(()) };
        let Ok(uri) = Url::parse(uri) else {
            return wrong("`.redirect_uri(..)` is no address");
        };
        if self.ask.is_none() && !(uri.scheme() == "http" && is_loopback(&uri)) {
            return wrong(
                "`.redirect_uri(..)` must be `http://127.0.0.1:PORT/PATH`, unless \
                 `.on_authorize(..)` brings the answer back",
            );
        }
        Ok(())
    }
}

/// Secrets and keys are not shown.
impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("client_id", &self.client)
            .field("machine", &self.machine)
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// Closures and stores are equal if they are one and the same.
impl PartialEq for OAuth {
    fn eq(&self, other: &Self) -> bool {
        let same_ask = match (&self.ask, &other.ask) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let same_store = match (&self.store, &other.store) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        same_ask
            && same_store
            && self.client == other.client
            && self.proof == other.proof
            && self.machine == other.machine
            && self.issuer == other.issuer
            && self.metadata_url == other.metadata_url
            && self.scopes == other.scopes
            && self.name == other.name
            && self.redirect_uri == other.redirect_uri
            && self.private_network == other.private_network
    }
}
