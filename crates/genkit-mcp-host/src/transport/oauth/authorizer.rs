//! The authorizer, which obtains access tokens for all requests to one server, one at a time.

use std::sync::{Arc, Mutex};

use reqwest::Url;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::authorization_code::AuthorizationCode;
use super::challenge::Challenge;
use super::credentials::AccessToken;
use super::dpop::Dpop;
use super::error::Error;
use super::non_interactive::NonInteractive;
use super::settings::{GrantType, OAuth};
use crate::transport::http_client::error::HttpError;
use crate::transport::http_client::{client, error};
use crate::transport::redact::Redactor;
use genkit_core::internal::sync::lock;

/// Obtains access tokens for all requests to one server.
pub(crate) struct Authorizer {
    dpop: Option<Arc<Dpop>>,
    state: Arc<AuthorizerState>,
    /// Cancels pending work when this is dropped.
    _open: DropGuard,
}

/// A token for the next attempt.
pub(crate) struct RenewedToken {
    pub(crate) token: String,
    /// Whether it was granted just now, rather than renewed or obtained for another request.
    pub(crate) fresh: bool,
}

struct AuthorizerState {
    /// Locked during an exchange with the authorization server.
    grant: tokio::sync::Mutex<Grant>,
    access: Mutex<Access>,
    closing: CancellationToken,
}

#[derive(Default)]
struct Access {
    token: Option<AccessToken>,
    /// The number of finished attempts to obtain a token, and the error of the last attempt.
    rounds: u64,
    failed: Option<HttpError>,
}

/// The supported grants.
enum Grant {
    AuthorizationCode(Box<AuthorizationCode>),
    NonInteractive(Box<NonInteractive>),
}

impl Grant {
    /// Returns the current token, renewed if it is about to expire.
    async fn current_token(&mut self) -> Result<Option<AccessToken>, HttpError> {
        match self {
            Self::AuthorizationCode(grant) => grant.current_token().await,
            Self::NonInteractive(grant) => grant.current_token().await,
        }
    }

    /// Returns a new token, and whether it was granted just now.
    async fn renew_token(
        &mut self,
        challenge: &Challenge,
        sent: Option<&str>,
        may_ask: bool,
    ) -> Result<(AccessToken, bool), HttpError> {
        match self {
            Self::AuthorizationCode(grant) => grant.renew_token(challenge, sent, may_ask).await,
            Self::NonInteractive(grant) => Ok((grant.renew_token(challenge).await?, true)),
        }
    }
}

impl Authorizer {
    pub(crate) fn new(
        key: &str,
        server: &Url,
        oauth: &OAuth,
        asking_user: watch::Sender<bool>,
        redactor: Redactor,
    ) -> genkit_core::Result<Self> {
        let wrong = |error| Error::Settings { key: key.to_owned(), error: Box::new(error) };
        oauth.check_settings().map_err(wrong)?;
        let dpop = oauth.new_dpop().map_err(wrong)?.map(Arc::new);
        let resource = client::without_secrets(server);
        let grant = match oauth.grant {
            GrantType::AuthorizationCode => {
                let grant = AuthorizationCode::new(
                    key,
                    resource,
                    oauth,
                    asking_user,
                    redactor,
                    dpop.clone(),
                );
                Grant::AuthorizationCode(Box::new(grant))
            }
            _ => {
                let grant =
                    NonInteractive::new(resource, oauth, asking_user, redactor, dpop.clone());
                Grant::NonInteractive(Box::new(grant))
            }
        };
        let closing = CancellationToken::new();
        let state = Arc::new(AuthorizerState {
            grant: tokio::sync::Mutex::new(grant),
            access: Mutex::default(),
            closing: closing.clone(),
        });
        Ok(Self { dpop, state, _open: closing.drop_guard() })
    }

    /// Returns the signer of requests to the server, if tokens are bound to a key.
    pub(crate) fn dpop_key(&self) -> Option<&Dpop> {
        self.dpop.as_deref()
    }

    /// Returns the current token, even if it has expired.
    pub(crate) fn held_token(&self) -> Option<String> {
        Some(self.state.held_token()?.secret)
    }

    /// Returns the token to send, if any, renewed if it is about to expire.
    pub(crate) async fn access_token(&self) -> Result<Option<String>, HttpError> {
        if let Some(token) = self.state.held_token().filter(AccessToken::is_fresh) {
            return Ok(Some(token.secret));
        }
        let state = Arc::clone(&self.state);
        let current = run_detached(async move {
            let mut grant = state.grant.lock().await;
            if let Some(token) = state.held_token().filter(AccessToken::is_fresh) {
                return Ok(Some(token));
            }
            let current = state.unless_closing(grant.current_token()).await;
            match (current, state.held_token()) {
                (Ok(current), _) => {
                    lock(&state.access).token.clone_from(&current);
                    Ok(current)
                }
                // Let the server decide whether the current token is still valid.
                (Err(_), Some(held)) => Ok(Some(held)),
                (Err(failure), None) => Err(failure),
            }
        });
        Ok(current.await?.map(|token| token.secret))
    }

    /// Returns a new token after `challenge` rejected the token in `sent`. The user is asked only if `may_ask` is set.
    /// An exchange that has started continues even if its request is dropped, because the user may already be signing
    /// in.
    pub(crate) async fn renew_token(
        &self,
        challenge: Challenge,
        sent: Option<String>,
        may_ask: bool,
    ) -> Result<RenewedToken, HttpError> {
        let state = Arc::clone(&self.state);
        let before = lock(&state.access).rounds;
        run_detached(async move {
            let mut grant = state.grant.lock().await;
            if let Some(held) =
                state.held_token().filter(|held| sent.as_ref() != Some(&held.secret))
            {
                return Ok(RenewedToken { token: held.secret, fresh: false });
            }
            // A request that waited for a failed attempt does not ask the same user again.
            if let Some(failure) = state.failed_since(before) {
                return Err(failure);
            }
            let renewed =
                state.unless_closing(grant.renew_token(&challenge, sent.as_deref(), may_ask)).await;
            let mut access = lock(&state.access);
            // If the user was not asked, other requests ignore the failure.
            if may_ask || renewed.is_ok() {
                access.rounds += 1;
                access.failed = renewed.as_ref().err().cloned();
            }
            let (token, fresh) = renewed?;
            access.token = Some(token.clone());
            Ok(RenewedToken { token: token.secret, fresh })
        })
        .await
    }
}

impl AuthorizerState {
    fn held_token(&self) -> Option<AccessToken> {
        lock(&self.access).token.clone()
    }

    fn failed_since(&self, before: u64) -> Option<HttpError> {
        let access = lock(&self.access);
        access.failed.clone().filter(|_| access.rounds > before)
    }

    async fn unless_closing<T>(
        &self,
        work: impl Future<Output = Result<T, HttpError>>,
    ) -> Result<T, HttpError> {
        let done = self.closing.run_until_cancelled(work).await;
        done.unwrap_or_else(|| Err(error::Error::Closed.into()))
    }
}

/// Runs `work` in its own task, so that it continues if the caller is cancelled.
async fn run_detached<T: Send + 'static>(
    work: impl Future<Output = Result<T, HttpError>> + Send + 'static,
) -> Result<T, HttpError> {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(fault) if fault.is_panic() => Err(Error::Panicked.into()),
        Err(_) => Err(Error::RuntimeEnded.into()),
    }
}
