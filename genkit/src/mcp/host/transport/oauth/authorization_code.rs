//! Access that a person gives in a browser: an authorization code with PKCE.

mod scopes;

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationMetadata, OAuthClientConfig,
};
use tokio::sync::watch;
use tokio::time::Instant;

use super::super::http::failure::{At, Failure};
use super::challenge::Challenge;
use super::consent::{DEFAULT_URI, Question};
use super::credentials::{Registration, Token, Vault};
use super::discovery::Discovery;
use super::{OAuth, Proof};
use crate::error::{Error, ErrorKind, Result};

/// How long what a refresh gave must hold; what is refused sooner is not refreshed again. Default
/// is 1 minute.
const REFRESH_HOLDS: Duration = Duration::from_secs(60);

/// Access that a person gives.
pub(crate) struct Person {
    key: String,
    oauth: OAuth,
    vault: Vault,
    discovery: Discovery,
    /// What a server wanted more, and when it was asked for.
    asked: Vec<(BTreeSet<String>, Instant)>,
    /// What the last refresh gave, and when.
    refreshed: Option<(String, Instant)>,
    busy: watch::Sender<bool>,
}

impl Person {
    pub(crate) fn new(key: &str, resource: Url, oauth: &OAuth, busy: watch::Sender<bool>) -> Self {
        let vault = Vault::new(resource.to_string(), oauth.store.clone());
        Self {
            key: key.to_owned(),
            oauth: oauth.clone(),
            discovery: Discovery::new(resource, oauth, Some(vault.clone())),
            vault,
            asked: Vec::new(),
            refreshed: None,
            busy,
        }
    }

    /// The access that is there, renewed if it is about to end.
    pub(crate) async fn current(&mut self) -> Result<Option<Token>, Failure> {
        self.vault.open().await?;
        let old = |vault: &Vault| vault.token().is_some_and(|token| !token.is_fresh());
        if old(&self.vault) && self.vault.is_shared() {
            // Another program may have renewed it, and a refresh token may be good only once.
            if let Err(failure) = self.vault.reload().await {
                tracing::debug!(server = %self.key, %failure, "the kept access cannot be read");
            }
        }
        if old(&self.vault) && self.vault.can_refresh() {
            let metadata = self.discover(None).await?;
            self.refresh(&metadata).await?;
        }
        Ok(self.vault.token())
    }

    /// New access, and whether a person gave it just now.
    pub(crate) async fn renew(
        &mut self,
        challenge: &Challenge,
        sent: Option<&str>,
        may_ask: bool,
    ) -> Result<(Token, bool), Failure> {
        self.vault.open().await?;
        let wider = matches!(challenge, Challenge::Wider { .. });
        if let (false, Some(sent)) = (wider, sent) {
            self.vault.reload().await?;
            if let Some(token) = self.vault.token().filter(|token| token.secret != sent) {
                return Ok((token, false));
            }
        }
        if let Challenge::Wider { scopes, .. } = challenge {
            self.may_widen(scopes)?;
        }
        let metadata = self.discover(challenge.header()).await?;
        let refresh = !wider
            && sent.is_some_and(|sent| !self.is_of_last_refresh(sent))
            && self.vault.can_refresh();
        if refresh && self.refresh(&metadata).await? {
            return Ok((self.token()?, false));
        }
        if !may_ask {
            let text = format!("no access to {}: a person must give it", self.discovery.target);
            return Err(Failure::new(ErrorKind::Unauthenticated, text));
        }
        self.ask(challenge, &metadata).await?;
        Ok((self.token()?, true))
    }

    /// Whether a refresh gave this a moment ago: another one would not help.
    fn is_of_last_refresh(&self, sent: &str) -> bool {
        let last = self.refreshed.as_ref();
        last.is_some_and(|(token, at)| token == sent && at.elapsed() < REFRESH_HOLDS)
    }

    async fn discover(&mut self, header: Option<&str>) -> Result<AuthorizationMetadata, Failure> {
        let metadata = self.discovery.look_up(header).await?;
        self.vault.belong_to(metadata.issuer.as_deref()).await;
        Ok(metadata)
    }

    /// Renews without a person; false if a person is needed.
    async fn refresh(&mut self, metadata: &AuthorizationMetadata) -> Result<bool, Failure> {
        let Some(client) = self.vault.client() else { return Ok(false) };
        let registration = self.vault.registration().filter(|known| known.client_id == client);
        let redirect = registration.as_ref().map_or(DEFAULT_URI, |known| &known.redirect_uri);
        let config = match (&self.oauth.proof, registration.as_ref()) {
            (Proof::Secret(secret), _) if self.oauth.client.as_deref() == Some(client.as_str()) => {
                config(&client, Some(secret), redirect)
            }
            (_, known) => {
                let secret = known.and_then(|known| known.client_secret.as_ref());
                config(&client, secret, redirect)
            }
        };
        let at = At { target: &self.discovery.target.clone(), session: false };
        let manager = self.discovery.manager().await?;
        manager.configure_client(config).map_err(|error| at.authorization(&error))?;
        match manager.refresh_token().await {
            Ok(_) => {
                self.refreshed = self.vault.token().map(|token| (token.secret, Instant::now()));
                tracing::debug!(server = %self.key, issuer = ?metadata.issuer, "access renewed");
                Ok(true)
            }
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(false),
            // The authorization server answered, and does not know this program any more.
            Err(AuthError::TokenRefreshFailed(text)) if text.contains("invalid_client") => {
                self.vault.register(None).await;
                Ok(false)
            }
            Err(error) => Err(at.authorization(&error)),
        }
    }

    /// Asks the person.
    async fn ask(
        &mut self,
        challenge: &Challenge,
        metadata: &AuthorizationMetadata,
    ) -> Result<(), Failure> {
        let scopes = self.scopes(challenge, metadata).await?;
        let known = self.vault.registration();
        let question = Question::new(&self.oauth, known.as_ref()).await;
        let question = question.map_err(|error| self.failed(&error))?;
        let known = known.filter(|known| known.redirect_uri == question.redirect_uri());
        let wanted: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let (client, own) = self.client(known, metadata, question.redirect_uri(), &wanted).await?;
        let target = self.discovery.target.clone();
        let at = At { target: &target, session: false };
        let manager = self.discovery.manager().await?;
        manager.configure_client(client).map_err(|error| at.authorization(&error))?;
        let address = manager.get_authorization_url(&wanted).await;
        let address = address.map_err(|error| at.authorization(&error))?;
        if let Challenge::Wider { scopes, .. } = challenge {
            self.asked.push((scopes.iter().cloned().collect(), Instant::now()));
        }
        let who = format!("{} (server {:?})", self.oauth.name, self.key);
        let given = match question.ask(&who, &target, &address, &self.busy).await {
            Ok(callback) => self.exchange(&callback).await,
            Err(failure) => Err(failure),
        };
        let unknown =
            given.as_ref().is_err_and(|fault| fault.kind() != ErrorKind::PermissionDenied);
        if unknown && !own {
            // The authorization server may not know this program any more: it registers anew.
            self.vault.register(None).await;
        }
        given
    }

    async fn exchange(&mut self, callback: &AuthorizationCallback) -> Result<(), Failure> {
        let issuer = callback.issuer.as_deref();
        let manager = self.discovery.manager().await?;
        let given = manager
            .exchange_code_for_token_with_issuer(&callback.code, &callback.csrf_token, issuer)
            .await;
        given.map(drop).map_err(|error| self.refused(&error))
    }

    /// As whom this program asks, and whether the user said so.
    async fn client(
        &mut self,
        known: Option<Registration>,
        metadata: &AuthorizationMetadata,
        redirect: &str,
        scopes: &[&str],
    ) -> Result<(OAuthClientConfig, bool), Failure> {
        if let Some(id) = &self.oauth.client {
            let secret = match &self.oauth.proof {
                Proof::Secret(secret) => Some(secret),
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
        let name = self.oauth.name.clone();
        let manager = self.discovery.manager().await?;
        let client = match manager.register_client(&name, redirect, scopes).await {
            Ok(client) => client,
            Err(error) => {
                let failure = self.refused(&error);
                let hint = "this program cannot register by itself; `.client_id(..)` says how it \
                            is known";
                return Err(failure.within(hint));
            }
        };
        let registration = Registration {
            issuer: metadata.issuer.clone(),
            client_id: client.client_id.clone(),
            client_secret: client.client_secret.clone(),
            redirect_uri: redirect.to_owned(),
        };
        self.vault.register(Some(registration)).await;
        Ok((client, false))
    }

    fn token(&self) -> Result<Token, Failure> {
        self.vault.token().ok_or_else(|| {
            let text =
                format!("no access to {}: it was given without a token", self.discovery.target);
            Failure::new(ErrorKind::Unauthenticated, text)
        })
    }

    fn refused(&self, error: &AuthError) -> Failure {
        At { target: &self.discovery.target, session: false }.authorization(error)
    }

    fn failed(&self, error: &Error) -> Failure {
        let text = format!("no access to {}: {}", self.discovery.target, error.chain());
        Failure::new(error.kind(), text)
    }
}

fn config(id: &str, secret: Option<&String>, redirect: &str) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(id, redirect);
    match secret {
        Some(secret) => config.with_client_secret(secret),
        None => config,
    }
}
