//! The authorization code grant with PKCE: the user grants access in a browser.

mod refresh;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationMetadata, OAuthClientConfig,
};
use tokio::sync::watch;
use tokio::time::Instant;

use super::challenge::Challenge;
use super::consent::Consent;
use super::credentials::{AccessToken, Credentials, Registration, SavedCredentials};
use super::discovery::{Discovery, without_duplicates};
use super::dpop::Dpop;
use super::error::Error;
use super::settings::{ClientAuthentication, OAuth};
use crate::transport::http_client::error::HttpError;
use crate::transport::redact::Redactor;
use genkit_core::ErrorKind;
use genkit_core::internal::visible::Logged;

/// The minimum time before the user is asked again for the same scopes. Default is 10 minutes.
const SCOPE_RETRY_INTERVAL: Duration = Duration::from_secs(10 * 60);

/// The number of times that a server can make the user sign in within [`SIGN_IN_PERIOD`]. Default is 3.
const MAX_SIGN_INS: usize = 3;

/// The period of [`MAX_SIGN_INS`]. Default is 10 minutes.
const SIGN_IN_PERIOD: Duration = Duration::from_secs(10 * 60);

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
    /// The times of the sign-ins.
    asked: Vec<Instant>,
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
            asked: Vec::new(),
            asking_user,
        }
    }

    /// Returns the current token, renewed if it is about to expire.
    pub(super) async fn current_token(&mut self) -> Result<Option<AccessToken>, HttpError> {
        self.credentials.load_once().await?;
        let is_old = |held: &SavedCredentials| {
            held.access_token()
                .is_some_and(|token| !token.is_fresh() || !self.is_acceptable(&token))
        };
        if is_old(&self.credentials.current_credentials()) && self.credentials.is_shared() {
            // Another program may have renewed it, and a refresh token may be valid only once.
            if let Err(failure) = self.credentials.reload_saved().await {
                let failure = Logged::text(&failure);
                tracing::debug!(server = %self.key, %failure, "cannot read the stored credentials");
            }
        }
        let held = self.credentials.current_credentials();
        if is_old(&held) && held.can_refresh() {
            let metadata = self.discover_metadata(None).await?;
            self.refresh_token(&metadata).await?;
        }
        Ok(self.held_token())
    }

    /// Returns the current token if it may be sent.
    fn held_token(&self) -> Option<AccessToken> {
        self.credentials
            .current_credentials()
            .access_token()
            .filter(|token| self.is_acceptable(token))
    }

    fn is_acceptable(&self, token: &AccessToken) -> bool {
        token.is_bound || !self.is_bound
    }

    /// Returns a new token, and whether the user has just granted it.
    pub(super) async fn renew_token(
        &mut self,
        challenge: &Challenge,
        sent: Option<&str>,
        may_ask: bool,
    ) -> Result<(AccessToken, bool), HttpError> {
        self.credentials.load_once().await?;
        let wider = matches!(challenge, Challenge::Wider { .. });
        if let (false, Some(sent)) = (wider, sent) {
            self.credentials.reload_saved().await?;
            if let Some(token) = self.held_token().filter(|token| token.secret != sent) {
                return Ok((token, false));
            }
        }
        if let Challenge::Wider { scopes, .. } = challenge {
            self.check_widening(scopes)?;
        }
        let metadata = self.discover_metadata(challenge.challenge_header()).await?;
        let refresh = !wider
            && sent.is_some_and(|sent| !self.is_of_last_refresh(sent))
            && self.credentials.current_credentials().can_refresh();
        if refresh && self.refresh_token(&metadata).await? {
            return Ok((self.granted_token()?, false));
        }
        if !may_ask {
            return Err(self.discovery.access_error(Error::NeedsUser));
        }
        self.count_sign_in()?;
        self.ask_user(challenge, &metadata).await?;
        Ok((self.granted_token()?, true))
    }

    /// Counts a sign-in, and returns an error above the limit, so that a server cannot ask the user endlessly.
    fn count_sign_in(&mut self) -> Result<(), HttpError> {
        self.asked.retain(|asked| asked.elapsed() < SIGN_IN_PERIOD);
        if self.asked.len() >= MAX_SIGN_INS {
            return Err(self.discovery.access_error(Error::TooManySignIns));
        }
        self.asked.push(Instant::now());
        Ok(())
    }

    async fn discover_metadata(
        &mut self,
        header: Option<&str>,
    ) -> Result<AuthorizationMetadata, HttpError> {
        let metadata = self.discovery.discover(header).await?;
        self.credentials.discard_foreign(metadata.issuer.as_deref()).await;
        Ok(metadata)
    }

    /// Asks the user for access.
    async fn ask_user(
        &mut self,
        challenge: &Challenge,
        metadata: &AuthorizationMetadata,
    ) -> Result<(), HttpError> {
        let scopes = self.scopes_to_request(challenge, metadata).await?;
        let known = self.credentials.current_credentials().registration;
        let consent = Consent::new(&self.oauth, known.as_ref()).await;
        let consent = consent.map_err(|error| self.discovery.access_error(error))?;
        let known = known.filter(|known| known.redirect_uri == consent.redirect_uri());
        let wanted: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let (client, own) =
            self.client_config(known, metadata, consent.redirect_uri(), &wanted).await?;
        let target = self.discovery.target.clone();
        let manager = self.discovery.rmcp_manager().await?;
        let address = match manager.configure_client(client) {
            Ok(()) => manager.get_authorization_url(&wanted).await,
            Err(error) => Err(error),
        };
        let address = address.map_err(|error| self.refusal_error(&error))?;
        if let Challenge::Wider { scopes, .. } = challenge {
            self.widened.push((scopes.iter().cloned().collect(), Instant::now()));
        }
        let who = format!("{} (server {:?})", self.oauth.grant_name(), self.key);
        let given = match consent.ask_user(&who, &target, &address, &self.asking_user).await {
            Ok(callback) => self.exchange_code(&callback).await,
            Err(failure) => Err(failure),
        };
        let unknown = given.as_ref().is_err_and(|fault| fault.kind != ErrorKind::PermissionDenied);
        if unknown && !own {
            // The authorization server may have removed this client: discard the registration, so that the client
            // registers again.
            self.credentials.save_registration(None).await;
        }
        given
    }

    async fn exchange_code(&mut self, callback: &AuthorizationCallback) -> Result<(), HttpError> {
        let issuer = callback.issuer.as_deref();
        let manager = self.discovery.rmcp_manager().await?;
        let given = manager
            .exchange_code_for_token_with_issuer(&callback.code, &callback.csrf_token, issuer)
            .await;
        given.map(drop).map_err(|error| self.refusal_error(&error))
    }

    /// Returns this program's OAuth client, and whether the user configured it.
    async fn client_config(
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
            return Ok((build_config(id, secret, redirect), true));
        }
        let reads_documents =
            metadata.additional_fields.get("client_id_metadata_document_supported");
        if let Some(url) = &self.oauth.metadata_url
            && reads_documents.is_some_and(|yes| *yes == true)
        {
            return Ok((build_config(url, None, redirect), true));
        }
        if let Some(known) = known {
            return Ok((
                build_config(&known.client_id, known.client_secret.as_ref(), redirect),
                false,
            ));
        }
        let manager = self.discovery.rmcp_manager().await?;
        let client = manager.register_client(self.oauth.grant_name(), redirect, scopes).await;
        let client = client
            .map_err(|error| self.refusal_error(&error).with_prefix(Error::CannotRegister))?;
        let registration = Registration {
            issuer: metadata.issuer.clone(),
            client_id: client.client_id.clone(),
            client_secret: client.client_secret.clone(),
            redirect_uri: redirect.to_owned(),
        };
        self.credentials.save_registration(Some(registration)).await;
        Ok((client, false))
    }

    fn granted_token(&self) -> Result<AccessToken, HttpError> {
        let none = || match self.credentials.current_credentials().access_token() {
            Some(_) => Error::NotBound,
            None => Error::MissingToken,
        };
        self.held_token().ok_or_else(|| self.discovery.access_error(none()))
    }

    fn refusal_error(&self, error: &AuthError) -> HttpError {
        self.discovery.request_target().authorization_error(error)
    }
}

impl AuthorizationCode {
    /// Returns the scopes to request: the scopes from the settings or the server, all scopes that were granted before,
    /// and `offline_access` if the authorization server supports it.
    async fn scopes_to_request(
        &mut self,
        challenge: &Challenge,
        metadata: &AuthorizationMetadata,
    ) -> Result<Vec<String>, HttpError> {
        let mut scopes = self.credentials.current_credentials().granted_scopes();
        match challenge {
            Challenge::Wider { scopes: more, .. } => {
                scopes.extend(self.oauth.scopes.iter().chain(more).cloned());
            }
            Challenge::Access { .. } if !self.oauth.scopes.is_empty() => {
                scopes.extend(self.oauth.scopes.iter().cloned());
            }
            Challenge::Access { .. } => {
                let manager = self.discovery.rmcp_manager().await?;
                scopes.extend(manager.select_initial_scopes(&[]).await);
            }
        }
        let offers = metadata.scopes_supported.iter().flatten().any(|scope| scope == OFFLINE);
        if offers && !scopes.is_empty() {
            scopes.push(OFFLINE.to_owned());
        }
        Ok(without_duplicates(scopes))
    }

    /// Checks that requesting more scopes can help.
    fn check_widening(&self, scopes: &[String]) -> Result<(), HttpError> {
        let wanted: BTreeSet<String> = scopes.iter().cloned().collect();
        let given: BTreeSet<String> =
            self.credentials.current_credentials().granted_scopes().into_iter().collect();
        let recent = self
            .widened
            .iter()
            .any(|(asked, at)| wanted.is_subset(asked) && at.elapsed() < SCOPE_RETRY_INTERVAL);
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

fn build_config(id: &str, secret: Option<&String>, redirect: &str) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(id, redirect);
    match secret {
        Some(secret) => config.with_client_secret(secret),
        None => config,
    }
}
