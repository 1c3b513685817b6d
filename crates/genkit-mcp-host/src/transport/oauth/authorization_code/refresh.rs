//! Refreshing an access token without the user.

use std::time::Duration;

use genkit_oauth_client::CallbackListener;
use rmcp::transport::auth::{AuthError, AuthorizationMetadata};
use tokio::time::Instant;

use super::{AuthorizationCode, build_config};
use crate::transport::http_client::error::HttpError;
use crate::transport::oauth::dpop::refuses_proof;
use crate::transport::oauth::settings::ClientAuthentication;
use genkit_core::internal::visible::Logged;

/// The minimum time between two refreshes. If the server rejects a token earlier, the token is not refreshed
/// again. Default is 1 minute.
const MIN_REFRESH_INTERVAL: Duration = Duration::from_secs(60);

impl AuthorizationCode {
    /// Returns whether this token came from a very recent refresh, so that another refresh would not help.
    pub(super) fn is_of_last_refresh(&self, sent: &str) -> bool {
        let last = self.refreshed.as_ref();
        last.is_some_and(|(token, at)| token == sent && at.elapsed() < MIN_REFRESH_INTERVAL)
    }

    /// Refreshes the token; returns `false` if only the user can grant access again.
    pub(super) async fn refresh_token(
        &mut self,
        metadata: &AuthorizationMetadata,
    ) -> Result<bool, HttpError> {
        let held = self.credentials.current_credentials();
        let Some(client) = held.client_id() else { return Ok(false) };
        let known = held.registration.as_ref().filter(|known| known.client_id == *client);
        let redirect = known.map_or(CallbackListener::DEFAULT_URI, |known| &known.redirect_uri);
        let secret = match &self.oauth.authentication {
            ClientAuthentication::Secret(own) if self.oauth.client_id.as_ref() == Some(client) => {
                Some(own)
            }
            _ => known.and_then(|known| known.client_secret.as_ref()),
        };
        let config = build_config(client, secret, redirect);
        let manager = self.discovery.rmcp_manager().await?;
        let refreshed = match manager.configure_client(config) {
            Ok(()) => manager.refresh_token().await,
            Err(error) => return Err(self.refusal_error(&error)),
        };
        match refreshed {
            Ok(_) => {
                let token = self.credentials.current_credentials().access_token();
                self.refreshed = token.map(|token| (token.secret, Instant::now()));
                let issuer = metadata.issuer.as_deref().map(Logged::name);
                let issuer = issuer.as_ref().map(tracing::field::display);
                tracing::debug!(server = %self.key, issuer, "refreshed the access token");
                Ok(true)
            }
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(false),
            // The refresh token is bound to another key.
            Err(AuthError::TokenRefreshFailed(text)) if refuses_proof(&text) => Ok(false),
            // The authorization server responded, and this client is no longer registered.
            Err(AuthError::TokenRefreshFailed(text)) if text.contains("invalid_client") => {
                self.credentials.save_registration(None).await;
                Ok(false)
            }
            Err(error) => Err(self.refusal_error(&error)),
        }
    }
}
