//! Consent: sends the user to the authorization URL and receives the response.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use genkit_oauth_client::CallbackListener;
use reqwest::Url;
use rmcp::transport::auth::AuthorizationCallback;
use tokio::sync::watch;

use super::credentials::Registration;
use super::error::Error;
use super::settings::{OAuth, OnAuthorize};
use crate::transport::http_client::error::{HttpError, quote_text};
use crate::transport::http_client::explain::RequestTarget;
use genkit_core::ErrorKind;

/// How long the user may take to grant access. Default is 5 minutes.
const CONSENT_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// The channel on which the response to the consent request arrives.
pub(super) enum Consent {
    Callback(CallbackListener),
    OnAuthorize(OnAuthorize, String),
}

impl Consent {
    /// Uses the program's handler. Without a handler, listens on a local port, preferably the port of the known
    /// registration.
    pub(super) async fn new(oauth: &OAuth, known: Option<&Registration>) -> Result<Self, Error> {
        let uri = oauth.redirect_uri.as_deref();
        if let Some(ask) = &oauth.on_authorize {
            return Ok(Self::OnAuthorize(
                ask.clone(),
                uri.unwrap_or(CallbackListener::DEFAULT_URI).to_owned(),
            ));
        }
        let known = known.and_then(|known| Url::parse(&known.redirect_uri).ok());
        let port = known.and_then(|uri| uri.port());
        Ok(Self::Callback(CallbackListener::bind(uri, port).await?))
    }

    pub(super) fn redirect_uri(&self) -> &str {
        match self {
            Self::Callback(listener) => listener.uri(),
            Self::OnAuthorize(_, uri) => uri,
        }
    }

    /// Sends the user to `address`, and returns the checked response.
    pub(super) async fn ask_user(
        self,
        who: &str,
        target: &str,
        address: &str,
        asking_user: &watch::Sender<bool>,
    ) -> Result<AuthorizationCallback, HttpError> {
        let refused = |error: Error| HttpError::from(error).no_access_to(target);
        let state = query_parameter(address, "state").unwrap_or_default();
        let callback = {
            let _asking = PendingConsent::mark_asking(asking_user);
            let answered = async {
                match self {
                    Self::Callback(listener) => {
                        announce_address(who, target, address);
                        Ok(listener.wait_for_callback(&state).await)
                    }
                    // Regardless of the result, the user was asked, and must not be asked again immediately.
                    Self::OnAuthorize(ask, _) => ask(address.to_owned()).await.map_err(|error| {
                        let failure = HttpError::from_error(&error).no_access_to(target);
                        let kind = ErrorKind::PermissionDenied;
                        HttpError { kind, source: Some(Arc::new(error)), ..failure }
                    }),
                }
            };
            tokio::time::timeout(CONSENT_TIMEOUT, answered).await
        };
        let callback =
            callback.map_err(|_| refused(Error::UserTimeout(CONSENT_TIMEOUT.as_secs() / 60)))??;
        if query_parameter(&callback, "state").as_ref() != Some(&state) {
            return Err(refused(Error::OtherAnswer));
        }
        if let Some(error) = query_parameter(&callback, "error") {
            let error = quote_text(&error);
            let why = query_parameter(&callback, "error_description").map(|why| quote_text(&why));
            return Err(refused(Error::AccessDenied { error, why }));
        }
        AuthorizationCallback::from_redirect_url(&callback)
            .map_err(|error| RequestTarget::new(target).authorization_error(&error))
    }
}

/// Prints the URL for programs in a terminal, as documented at `OAuth::new`. The user who reads the terminal or the log
/// is assumed to have a browser.
fn announce_address(who: &str, target: &str, address: &str) {
    tracing::warn!("{who} requests access to {target}; open {address}");
    let text = format!("{who} requests access to {target}. Open this URL in a browser:\n{address}");
    // If standard error is closed, the URL is still in the log.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Returns a query parameter of a URL.
fn query_parameter(address: &str, name: &str) -> Option<String> {
    let address = Url::parse(address).ok()?;
    let found = address.query_pairs().find(|(key, _)| key == name)?.1.into_owned();
    Some(found)
}

/// Reports to the host that the user is being asked, until it is dropped.
struct PendingConsent<'a>(&'a watch::Sender<bool>);

impl<'a> PendingConsent<'a> {
    fn mark_asking(sender: &'a watch::Sender<bool>) -> Self {
        sender.send_replace(true);
        Self(sender)
    }
}

impl Drop for PendingConsent<'_> {
    fn drop(&mut self) {
        self.0.send_replace(false);
    }
}
