//! The authorization code grant with PKCE: the user grants access in a browser.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use genkit_oauth_client::CallbackListener;
use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationMetadata, OAuthClientConfig,
};
use tokio::sync::watch;
use tokio::time::Instant;

use super::challenge::Challenge;
use super::consent::Consent;
use super::credentials::{AccessToken, Credentials, Registration, SavedCredentials};
use super::discovery::{Discovery, distinct};
use super::dpop::{Dpop, refuses_proof};
use super::error::Error;
use super::settings::{ClientAuthentication, OAuth};
use crate::transport::http_client::error::HttpError;
use crate::transport::redact::Redactor;
use genkit_core::ErrorKind;
use genkit_core::internal::visible::Logged;

/// How long a refreshed token must last; if it is rejected sooner, it is not refreshed again. Default is 1 minute.
const REFRESH_HOLDS: Duration = Duration::from_secs(60);

/// How long the user is not asked again for the same scopes. Default is 10 minutes.
const WIDER_PAUSE: Duration = Duration::from_secs(10 * 60);

/// The scope that makes an authorization server issue a refresh token.
const OFFLINE: &str = "offline_access";

/// The authorization code grant for one server.
pub(super) struct AuthorizationCode {
    key: String,
    oauth: OAuth,
    credentials: Credentials,
    discovery: Discovery,
    /// The additional scopes that the server required, and when the user was asked to grant them.
    widened: Vec<(BTreeSet<String>, Instant)>,
    /// The token of the last refresh, and its time.
    refreshed: Option<(String, Instant)>,
    /// Whether tokens must be bound to a key.
    is_bound: bool,
    asking_user: watch::Sender<bool>,
}

impl AuthorizationCode {
    pub(super) fn new(
        key: &str,
        resource: Url,
        oauth: &OAuth,
        asking_user: watch::Sender<bool>,
        redactor: Redactor,
        dpop: Option<Arc<Dpop>>,
    ) -> Self {
        let credentials = Credentials::new(resource.to_string(), oauth.store.clone(), redactor);
        Self {
            key: key.to_owned(),
            oauth: oauth.clone(),
            is_bound: dpop.is_some(),
            discovery: Discovery::new(resource, oauth, Some(credentials.clone()), dpop),
            credentials,
            widened: Vec::new(),
            refreshed: None,
            asking_user,
        }
    }

    /// Returns the current token, renewed if it is about to expire.
    pub(super) async fn current(&mut self) -> Result<Option<AccessToken>, HttpError> {
        self.credentials.open().await?;
        let is_old = |held: &SavedCredentials| {
            held.token().is_some_and(|token| !token.is_fresh() || !self.will_do(&token))
        };
        if is_old(&self.credentials.now()) && self.credentials.is_shared() {
            // Another program may have renewed it, and a refresh token may be valid only once.
            if let Err(failure) = self.credentials.reload().await {
                let failure = Logged::text(&failure);
                tracing::debug!(server = %self.key, %failure, "the stored access cannot be read");
            }
        }
        let held = self.credentials.now();
        if is_old(&held) && held.can_refresh() {
            let metadata = self.discover(None).await?;
            self.refresh(&metadata).await?;
        }
        Ok(self.held())
    }

    /// Returns the current token if it may be sent.
    fn held(&self) -> Option<AccessToken> {
        self.credentials.now().token().filter(|token| self.will_do(token))
    }

    fn will_do(&self, token: &AccessToken) -> bool {
        token.is_bound || !self.is_bound
    }

    /// Returns a new token, and whether the user granted it just now.
    pub(super) async fn renew(
        &mut self,
        challenge: &Challenge,
        sent: Option<&str>,
        may_ask: bool,
    ) -> Result<(AccessToken, bool), HttpError> {
        self.credentials.open().await?;
        let wider = matches!(challenge, Challenge::Wider { .. });
        if let (false, Some(sent)) = (wider, sent) {
            self.credentials.reload().await?;
            if let Some(token) = self.held().filter(|token| token.secret != sent) {
                return Ok((token, false));
            }
        }
        if let Challenge::Wider { scopes, .. } = challenge {
            self.may_widen(scopes)?;
        }
        let metadata = self.discover(challenge.header()).await?;
        let refresh = !wider
            && sent.is_some_and(|sent| !self.is_of_last_refresh(sent))
            && self.credentials.now().can_refresh();
        if refresh && self.refresh(&metadata).await? {
            return Ok((self.token()?, false));
        }
        if !may_ask {
            return Err(self.discovery.failed(Error::NeedsUser));
        }
        self.ask(challenge, &metadata).await?;
        Ok((self.token()?, true))
    }

    /// Returns whether this token came from a very recent refresh, so that another refresh would not help.
    fn is_of_last_refresh(&self, sent: &str) -> bool {
        let last = self.refreshed.as_ref();
        last.is_some_and(|(token, at)| token == sent && at.elapsed() < REFRESH_HOLDS)
    }

    async fn discover(&mut self, header: Option<&str>) -> Result<AuthorizationMetadata, HttpError> {
        let metadata = self.discovery.look_up(header).await?;
        self.credentials.belong_to(metadata.issuer.as_deref()).await;
        Ok(metadata)
    }

    /// Refreshes the token; returns `false` if only the user can grant access again.
    async fn refresh(&mut self, metadata: &AuthorizationMetadata) -> Result<bool, HttpError> {
        let held = self.credentials.now();
        let Some(client) = held.client() else { return Ok(false) };
        let known = held.registration.as_ref().filter(|known| known.client_id == *client);
        let redirect = known.map_or(CallbackListener::DEFAULT_URI, |known| &known.redirect_uri);
        let secret = match &self.oauth.authentication {
            ClientAuthentication::Secret(own) if self.oauth.client_id.as_ref() == Some(client) => {
                Some(own)
            }
            _ => known.and_then(|known| known.client_secret.as_ref()),
        };
        let config = config(client, secret, redirect);
        let manager = self.discovery.manager().await?;
        let refreshed = match manager.configure_client(config) {
            Ok(()) => manager.refresh_token().await,
            Err(error) => return Err(self.refused(&error)),
        };
        match refreshed {
            Ok(_) => {
                let token = self.credentials.now().token();
                self.refreshed = token.map(|token| (token.secret, Instant::now()));
                let issuer = metadata.issuer.as_deref().map(Logged::name);
                let issuer = issuer.as_ref().map(tracing::field::display);
                tracing::debug!(server = %self.key, issuer, "access renewed");
                Ok(true)
            }
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(false),
            // The refresh token is bound to another key.
            Err(AuthError::TokenRefreshFailed(text)) if refuses_proof(&text) => Ok(false),
            // The authorization server responded, and no longer knows this client.
            Err(AuthError::TokenRefreshFailed(text)) if text.contains("invalid_client") => {
                self.credentials.register(None).await;
                Ok(false)
            }
            Err(error) => Err(self.refused(&error)),
        }
    }

    /// Asks the user for access.
    async fn ask(
        &mut self,
        challenge: &Challenge,
        metadata: &AuthorizationMetadata,
    ) -> Result<(), HttpError> {
        let scopes = self.scopes(challenge, metadata).await?;
        let known = self.credentials.now().registration;
        let consent = Consent::new(&self.oauth, known.as_ref()).await;
        let consent = consent.map_err(|error| self.discovery.failed(error))?;
        let known = known.filter(|known| known.redirect_uri == consent.redirect_uri());
        let wanted: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let (client, own) = self.client(known, metadata, consent.redirect_uri(), &wanted).await?;
        let target = self.discovery.target.clone();
        let manager = self.discovery.manager().await?;
        let address = match manager.configure_client(client) {
            Ok(()) => manager.get_authorization_url(&wanted).await,
            Err(error) => Err(error),
        };
        let address = address.map_err(|error| self.refused(&error))?;
        if let Challenge::Wider { scopes, .. } = challenge {
            self.widened.push((scopes.iter().cloned().collect(), Instant::now()));
        }
        let who = format!("{} (server {:?})", self.oauth.name(), self.key);
        let given = match consent.ask(&who, &target, &address, &self.asking_user).await {
            Ok(callback) => self.exchange(&callback).await,
            Err(failure) => Err(failure),
        };
        let unknown = given.as_ref().is_err_and(|fault| fault.kind != ErrorKind::PermissionDenied);
        if unknown && !own {
            // The authorization server may no longer know this client: forget the registration, so that it registers
            // again.
            self.credentials.register(None).await;
        }
        given
    }

    async fn exchange(&mut self, callback: &AuthorizationCallback) -> Result<(), HttpError> {
        let issuer = callback.issuer.as_deref();
        let manager = self.discovery.manager().await?;
        let given = manager
            .exchange_code_for_token_with_issuer(&callback.code, &callback.csrf_token, issuer)
            .await;
        given.map(drop).map_err(|error| self.refused(&error))
    }

    /// Returns this program's OAuth client, and whether the user configured it.
    async fn client(
        &mut self,
        known: Option<Registration>,
        metadata: &AuthorizationMetadata,
        redirect: &str,
        scopes: &[&str],
    ) -> Result<(OAuthClientConfig, bool), HttpError> {
        if let Some(id) = &self.oauth.client_id {
            let secret = match &self.oauth.authentication {
                ClientAuthentication::Secret(secret) => Some(secret),
                _ => None,
            };
            return Ok((config(id, secret, redirect), true));
        }
        let reads_documents =
            metadata.additional_fields.get("client_id_metadata_document_supported");
        if let Some(url) = &self.oauth.metadata_url
            && reads_documents.is_some_and(|yes| *yes == true)
        {
            return Ok((config(url, None, redirect), true));
        }
        if let Some(known) = known {
            return Ok((config(&known.client_id, known.client_secret.as_ref(), redirect), false));
        }
        let manager = self.discovery.manager().await?;
        let client = manager.register_client(self.oauth.name(), redirect, scopes).await;
        let client = client.map_err(|error| self.refused(&error).within(Error::CannotRegister))?;
        let registration = Registration {
            issuer: metadata.issuer.clone(),
            client_id: client.client_id.clone(),
            client_secret: client.client_secret.clone(),
            redirect_uri: redirect.to_owned(),
        };
        self.credentials.register(Some(registration)).await;
        Ok((client, false))
    }

    fn token(&self) -> Result<AccessToken, HttpError> {
        let none = || match self.credentials.now().token() {
            Some(_) => Error::NotBound,
            None => Error::NoToken,
        };
        self.held().ok_or_else(|| self.discovery.failed(none()))
    }

    fn refused(&self, error: &AuthError) -> HttpError {
        self.discovery.at().authorization(error)
    }
}

impl AuthorizationCode {
    /// Returns the scopes to request: those of the settings or the server, and all that were granted before.
    async fn scopes(
        &mut self,
        challenge: &Challenge,
        metadata: &AuthorizationMetadata,
    ) -> Result<Vec<String>, HttpError> {
        let mut scopes = self.credentials.now().scopes();
        match challenge {
            Challenge::Wider { scopes: more, .. } => {
                scopes.extend(self.oauth.scopes.iter().chain(more).cloned());
            }
            Challenge::Access { .. } if !self.oauth.scopes.is_empty() => {
                scopes.extend(self.oauth.scopes.iter().cloned());
            }
            Challenge::Access { .. } => {
                let manager = self.discovery.manager().await?;
                scopes.extend(manager.select_initial_scopes(&[]).await);
            }
        }
        let offers = metadata.scopes_supported.iter().flatten().any(|scope| scope == OFFLINE);
        if offers && !scopes.is_empty() {
            scopes.push(OFFLINE.to_owned());
        }
        Ok(distinct(scopes))
    }

    /// Checks that requesting more scopes can help.
    fn may_widen(&self, scopes: &[String]) -> Result<(), HttpError> {
        let wanted: BTreeSet<String> = scopes.iter().cloned().collect();
        let given: BTreeSet<String> = self.credentials.now().scopes().into_iter().collect();
        let recent = self
            .widened
            .iter()
            .any(|(asked, at)| wanted.is_subset(asked) && at.elapsed() < WIDER_PAUSE);
        if !recent && !wanted.is_subset(&given) {
            return Ok(());
        }
        let target = self.discovery.target.clone();
        let scopes = scopes.join(" ");
        let error = match (scopes.is_empty(), recent) {
            (true, _) => Error::NoScopeNamed(target),
            (false, true) => Error::ScopesNotGiven { target, scopes },
            (false, false) => Error::ScopesNoHelp { target, scopes },
        };
        Err(error.into())
    }
}

fn config(id: &str, secret: Option<&String>, redirect: &str) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(id, redirect);
    match secret {
        Some(secret) => config.with_client_secret(secret),
        None => config,
    }
}
