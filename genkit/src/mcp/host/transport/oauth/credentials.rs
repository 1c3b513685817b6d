//! What OAuth was given for one server: in memory, and in the user's store if there is one.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::{AuthError, CredentialStore as Store, StoredCredentials};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::http::failure::Failure;
use super::credential_store::CredentialStore;
use crate::error::{Error, ErrorKind, Result};
use crate::sync::lock;

/// How long before its end a token is renewed, in seconds. Default is 30, or half of its life.
const MARGIN_SECS: u64 = 30;

/// An access token.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) secret: String,
    /// When it ends and how long it lives, in seconds; unknown if the server did not say.
    span: Option<(u64, u64)>,
}

impl Token {
    pub(crate) fn new(secret: String, received: u64, lives: Option<u64>) -> Self {
        Self { secret, span: lives.map(|lives| (received.saturating_add(lives), lives)) }
    }

    /// Whether it will hold for the next request.
    pub(crate) fn is_fresh(&self) -> bool {
        self.span.is_none_or(|(end, lives)| now() + MARGIN_SECS.min(lives / 2) < end)
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// How this program is known to an authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Registration {
    pub(crate) issuer: Option<String>,
    pub(crate) client_id: String,
    pub(crate) client_secret: Option<String>,
    pub(crate) redirect_uri: String,
}

/// What is kept, in this form also in the user's store.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Kept {
    #[serde(default)]
    credentials: Option<StoredCredentials>,
    #[serde(default)]
    registration: Option<Registration>,
}

impl Kept {
    fn token(&self) -> Option<Token> {
        let credentials = self.credentials.as_ref()?;
        let response = self.response()?;
        let secret = response["access_token"].as_str()?.to_owned();
        let received = credentials.token_received_at;
        let lives = response["expires_in"].as_u64().filter(|_| received.is_some());
        Some(Token::new(secret, received.unwrap_or_default(), lives))
    }

    /// Whether its access was given after that of the other.
    fn is_newer_than(&self, other: &Self) -> bool {
        let of = |kept: &Self| kept.credentials.as_ref().and_then(|known| known.token_received_at);
        of(other).is_some_and(|other| of(self).is_some_and(|own| own > other))
    }

    fn response(&self) -> Option<Value> {
        let response = self.credentials.as_ref()?.token_response.as_ref()?;
        serde_json::to_value(response).ok()
    }
}

/// What OAuth was given for one server.
#[derive(Clone)]
pub(crate) struct Vault(Arc<Inner>);

struct Inner {
    server: String,
    store: Option<Arc<dyn CredentialStore>>,
    /// `None` until the user's store was looked into.
    kept: Mutex<Option<Kept>>,
    /// Whether the user's store did not take what is kept here.
    unsaved: AtomicBool,
}

impl Vault {
    pub(crate) fn new(server: String, store: Option<Arc<dyn CredentialStore>>) -> Self {
        Self(Arc::new(Inner {
            server,
            store,
            kept: Mutex::new(None),
            unsaved: AtomicBool::new(false),
        }))
    }

    /// Looks into the user's store, unless that was done.
    pub(crate) async fn open(&self) -> Result<(), Failure> {
        if self.kept().is_none() { self.reload().await } else { Ok(()) }
    }

    /// Looks into the user's store again, if there is one: another program may have been there.
    pub(crate) async fn reload(&self) -> Result<(), Failure> {
        let Some(store) = &self.0.store else {
            self.kept().get_or_insert_default();
            return Ok(());
        };
        let loaded = store.load(&self.0.server).await.map_err(|error| {
            let text = format!("no access to {}: {}", self.0.server, error.chain());
            Failure::new(ErrorKind::FailedPrecondition, text)
        })?;
        let loaded = loaded.map(serde_json::from_value::<Kept>);
        let kept = match loaded {
            Some(Ok(kept)) => kept,
            Some(Err(_)) => {
                // What another version wrote is no reason never to ask again.
                tracing::warn!(server = %self.0.server, "the kept credentials cannot be read");
                Kept::default()
            }
            None => Kept::default(),
        };
        let mut own = self.kept();
        // What the store lacks is not to be lost.
        let unsaved = self.0.unsaved.load(Ordering::Relaxed);
        if !own.as_ref().is_some_and(|own| unsaved || own.is_newer_than(&kept)) {
            *own = Some(kept);
        }
        Ok(())
    }

    /// Whether other programs may change what is kept.
    pub(crate) fn is_shared(&self) -> bool {
        self.0.store.is_some()
    }

    pub(crate) fn token(&self) -> Option<Token> {
        self.kept().as_ref()?.token()
    }

    /// Whether the access can be renewed without a person.
    pub(crate) fn can_refresh(&self) -> bool {
        let response = self.kept().as_ref().and_then(Kept::response);
        response.is_some_and(|response| response["refresh_token"].is_string())
    }

    /// What was given.
    pub(crate) fn scopes(&self) -> Vec<String> {
        let kept = self.kept();
        let credentials = kept.as_ref().and_then(|kept| kept.credentials.as_ref());
        credentials.map(|credentials| credentials.granted_scopes.clone()).unwrap_or_default()
    }

    /// Who the access was given to.
    pub(crate) fn client(&self) -> Option<String> {
        Some(self.kept().as_ref()?.credentials.as_ref()?.client_id.clone())
    }

    pub(crate) fn registration(&self) -> Option<Registration> {
        self.kept().as_ref()?.registration.clone()
    }

    pub(crate) async fn register(&self, registration: Option<Registration>) {
        self.kept().get_or_insert_default().registration = registration;
        self.keep().await;
    }

    /// Forgets what another authorization server gave: it must never see it (SEP-2352).
    pub(crate) async fn belong_to(&self, issuer: Option<&str>) {
        let foreign =
            |known: Option<&String>| known.is_some_and(|known| Some(known.as_str()) != issuer);
        let changed = {
            let mut kept = self.kept();
            let kept = kept.get_or_insert_default();
            let access = kept.credentials.as_ref().is_some_and(|c| foreign(c.issuer.as_ref()));
            let client = kept.registration.as_ref().is_some_and(|r| foreign(r.issuer.as_ref()));
            if access || client {
                *kept = Kept::default();
            }
            access || client
        };
        if changed {
            tracing::warn!(server = %self.0.server, "the authorization server is another one now");
            self.keep().await;
        }
    }

    /// Writes to the user's store. Access that cannot be kept is access all the same.
    async fn keep(&self) {
        let Some(store) = &self.0.store else { return };
        let kept = self.kept().clone().unwrap_or_default();
        let value = match (&kept.credentials, &kept.registration) {
            (None, None) => Ok(None),
            _ => serde_json::to_value(&kept).map(Some).map_err(Error::from),
        };
        let saved = match value {
            Ok(value) => store.save(&self.0.server, value).await,
            Err(error) => Err(error),
        };
        self.0.unsaved.store(saved.is_err(), Ordering::Relaxed);
        if let Err(error) = saved {
            let fault = error.chain();
            tracing::warn!(server = %self.0.server, "the credentials are not kept: {fault}");
        }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        lock(&self.0.kept)
    }
}

type Storing<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

// Written out, because rmcp's trait is made by a macro that this crate does not depend on.
impl Store for Vault {
    fn load<'s, 'f>(&'s self) -> Storing<'f, Option<StoredCredentials>>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move { Ok(self.kept().as_ref().and_then(|kept| kept.credentials.clone())) })
    }

    fn save<'s, 'f>(&'s self, credentials: StoredCredentials) -> Storing<'f, ()>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            self.kept().get_or_insert_default().credentials = Some(credentials);
            self.keep().await;
            Ok(())
        })
    }

    fn clear<'s, 'f>(&'s self) -> Storing<'f, ()>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            self.kept().get_or_insert_default().credentials = None;
            self.keep().await;
            Ok(())
        })
    }
}
