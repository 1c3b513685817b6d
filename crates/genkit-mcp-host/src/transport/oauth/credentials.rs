//! The credentials of one server, in memory and in the user's store if there is one.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::{AuthError, CredentialStore as RmcpStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::credential_store::CredentialStore;
use super::dpop::is_bound;
use crate::transport::by_identity::ByIdentity;
use crate::transport::http_client::error::HttpError;
use crate::transport::redact::Redactor;
use genkit_core::BoxFuture;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind};

/// How long before its expiry a token is renewed, in seconds. Default is 30, or half of the token's lifetime if that is
/// shorter.
const MARGIN_SECS: u64 = 30;

/// An access token.
#[derive(Clone)]
pub(super) struct AccessToken {
    pub(super) secret: String,
    /// Whether it is usable only with the key that it is bound to.
    pub(super) is_bound: bool,
    /// The expiry time since the Unix epoch and the lifetime, both in seconds; `None` if the server did not specify
    /// them.
    span: Option<(u64, u64)>,
}

impl AccessToken {
    pub(super) fn new(secret: String, received: u64, lives: Option<u64>) -> Self {
        let span = lives.map(|lives| (received.saturating_add(lives), lives));
        Self { secret, is_bound: false, span }
    }

    /// Returns whether the token will still be valid for the next request.
    pub(super) fn is_fresh(&self) -> bool {
        self.span.is_none_or(|(end, lives)| unix_seconds() + MARGIN_SECS.min(lives / 2) < end)
    }
}

/// Returns the seconds since the Unix epoch.
pub(super) fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// This program's registration at an authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Registration {
    pub(super) issuer: Option<String>,
    pub(super) client_id: String,
    pub(super) client_secret: Option<String>,
    pub(super) redirect_uri: String,
}

/// The credentials in the form that is saved in the user's store.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedCredentials {
    credentials: Option<StoredCredentials>,
    pub(super) registration: Option<Registration>,
    /// Whether the user's store failed to save these credentials.
    #[serde(skip)]
    unsaved: bool,
}

impl SavedCredentials {
    pub(super) fn access_token(&self) -> Option<AccessToken> {
        let credentials = self.credentials.as_ref()?;
        let response = self.token_response()?;
        let secret = response["access_token"].as_str()?.to_owned();
        let received = credentials.token_received_at;
        let lives = response["expires_in"].as_u64().filter(|_| received.is_some());
        let token = AccessToken::new(secret, received.unwrap_or_default(), lives);
        Some(AccessToken { is_bound: is_bound(response["token_type"].as_str()), ..token })
    }

    /// Returns whether the token of these credentials was issued after the token of `other`.
    fn is_newer_than(&self, other: &Self) -> bool {
        let of =
            |saved: &Self| saved.credentials.as_ref().and_then(|known| known.token_received_at);
        of(other).is_some_and(|other| of(self).is_some_and(|own| own > other))
    }

    fn token_response(&self) -> Option<Value> {
        let response = self.credentials.as_ref()?.token_response.as_ref()?;
        serde_json::to_value(response).ok()
    }

    /// Returns whether the token can be renewed without the user.
    pub(super) fn can_refresh(&self) -> bool {
        self.token_response().is_some_and(|response| response["refresh_token"].is_string())
    }

    /// Returns the granted scopes.
    pub(super) fn granted_scopes(&self) -> Vec<String> {
        self.credentials.as_ref().map(|given| given.granted_scopes.clone()).unwrap_or_default()
    }

    /// Returns the id of the client that the token was issued to.
    pub(super) fn client_id(&self) -> Option<&String> {
        Some(&self.credentials.as_ref()?.client_id)
    }
}

/// The credentials for one server.
#[derive(Clone)]
pub(super) struct Credentials(Arc<CredentialState>);

struct CredentialState {
    server: String,
    store: Option<ByIdentity<dyn CredentialStore>>,
    redactor: Redactor,
    /// `None` until the user's store has been read.
    saved: Mutex<Option<SavedCredentials>>,
}

impl Credentials {
    pub(super) fn new(
        server: String,
        store: Option<ByIdentity<dyn CredentialStore>>,
        redactor: Redactor,
    ) -> Self {
        Self(Arc::new(CredentialState { server, store, redactor, saved: Mutex::default() }))
    }

    /// Adds the current secrets to the redactor.
    fn register_secrets(&self) {
        let saved = self.current_credentials();
        let response = saved.token_response().unwrap_or_default();
        let texts = ["access_token", "refresh_token", "id_token"];
        for (name, secret) in texts.map(|name| (name, response[name].as_str())) {
            self.0.redactor.hide_for_now(name, secret.unwrap_or_default());
        }
        let registered = saved.registration.and_then(|known| known.client_secret);
        self.0.redactor.hide_for_now("client_secret", &registered.unwrap_or_default());
    }

    /// Reads the user's store unless it has been read before.
    pub(super) async fn load_once(&self) -> Result<(), HttpError> {
        if self.lock_saved().is_none() { self.reload_saved().await } else { Ok(()) }
    }

    /// Reads the user's store again, if any: another program may have changed it.
    pub(super) async fn reload_saved(&self) -> Result<(), HttpError> {
        let Some(store) = &self.0.store else {
            self.lock_saved().get_or_insert_default();
            return Ok(());
        };
        let loaded = store.load(&self.0.server).await.map_err(|error| {
            let failure = HttpError::from_error(&error).no_access_to(&self.0.server);
            HttpError { kind: ErrorKind::FailedPrecondition, ..failure }
        })?;
        let loaded = loaded.map(serde_json::from_value::<SavedCredentials>).transpose();
        // Credentials written by another version must not block a new sign-in.
        let loaded = loaded.unwrap_or_else(|_| {
            tracing::warn!(server = %self.0.server, "cannot read the stored credentials; the user must sign in again");
            None
        });
        let saved = loaded.unwrap_or_default();
        let mut own = self.lock_saved();
        // Keep the credentials that could not be saved.
        if !own.as_ref().is_some_and(|own| own.unsaved || own.is_newer_than(&saved)) {
            *own = Some(saved);
        }
        drop(own);
        self.register_secrets();
        Ok(())
    }

    /// Returns whether other programs may change the saved credentials.
    pub(super) fn is_shared(&self) -> bool {
        self.0.store.is_some()
    }

    /// Returns the current credentials.
    pub(super) fn current_credentials(&self) -> SavedCredentials {
        self.lock_saved().clone().unwrap_or_default()
    }

    pub(super) async fn save_registration(&self, registration: Option<Registration>) {
        self.lock_saved().get_or_insert_default().registration = registration;
        self.save_all().await;
    }

    /// Discards credentials of another authorization server, which the current server must never see (SEP-2352).
    pub(super) async fn discard_foreign(&self, issuer: Option<&str>) {
        let foreign =
            |known: Option<&String>| known.is_some_and(|known| Some(known.as_str()) != issuer);
        let held = self.current_credentials();
        let access = held.credentials.is_some_and(|known| foreign(known.issuer.as_ref()));
        let client = held.registration.is_some_and(|known| foreign(known.issuer.as_ref()));
        if access || client {
            *self.lock_saved() = Some(SavedCredentials::default());
            tracing::warn!(server = %self.0.server, "the authorization server has changed; discarded the saved credentials");
            self.save_all().await;
        }
    }

    /// Writes to the user's store. A token that cannot be saved is still used.
    async fn save_all(&self) {
        self.register_secrets();
        let Some(store) = &self.0.store else { return };
        let saved = self.current_credentials();
        let value = match (&saved.credentials, &saved.registration) {
            (None, None) => Ok(None),
            _ => serde_json::to_value(&saved).map(Some).map_err(Error::from),
        };
        let saved = match value {
            Ok(value) => store.save(&self.0.server, value).await,
            Err(error) => Err(error),
        };
        self.lock_saved().get_or_insert_default().unsaved = saved.is_err();
        if let Err(error) = saved {
            let fault = error.chain();
            let error = Logged::text(&fault);
            tracing::warn!(server = %self.0.server, %error, "cannot save the credentials");
        }
    }

    async fn replace_saved(&self, given: Option<StoredCredentials>) -> Result<(), AuthError> {
        self.lock_saved().get_or_insert_default().credentials = given;
        self.save_all().await;
        Ok(())
    }

    fn lock_saved(&self) -> MutexGuard<'_, Option<SavedCredentials>> {
        lock(&self.0.saved)
    }
}

// Written by hand, because rmcp's trait comes from a macro that this crate does not depend on.
impl RmcpStore for Credentials {
    fn load<'s, 'f>(&'s self) -> BoxFuture<'f, Result<Option<StoredCredentials>, AuthError>>
    where
        's: 'f,
    {
        let credentials = self.lock_saved().as_ref().and_then(|saved| saved.credentials.clone());
        Box::pin(std::future::ready(Ok(credentials)))
    }

    fn save<'s, 'f>(&'s self, given: StoredCredentials) -> BoxFuture<'f, Result<(), AuthError>>
    where
        's: 'f,
    {
        Box::pin(self.replace_saved(Some(given)))
    }

    fn clear<'s, 'f>(&'s self) -> BoxFuture<'f, Result<(), AuthError>>
    where
        's: 'f,
    {
        Box::pin(self.replace_saved(None))
    }
}
