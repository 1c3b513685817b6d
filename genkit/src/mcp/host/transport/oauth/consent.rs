//! The question to a person, and the answer that comes back.

use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::AuthorizationCallback;
use tokio::sync::watch;

use super::super::http::browser::Listener;
use super::super::http::failure::{At, Failure};
use super::credentials::Registration;
use super::{Ask, OAuth};
use crate::error::{ErrorKind, Result};

/// How long a person may take. Default is 5 minutes.
const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// Where a browser that somebody else brings comes back to, unless the user says otherwise.
pub(crate) const DEFAULT_URI: &str = "http://127.0.0.1/callback";

/// The question to a person, by the way that the answer comes back.
pub(crate) enum Question {
    Listen(Listener),
    Told(Ask, String),
}

impl Question {
    /// The way that the user said; else a port of this machine, the one that is `known` if it is
    /// free.
    pub(crate) async fn new(oauth: &OAuth, known: Option<&Registration>) -> Result<Self> {
        let uri = oauth.redirect_uri.as_deref();
        if let Some(ask) = &oauth.ask {
            return Ok(Self::Told(ask.clone(), uri.unwrap_or(DEFAULT_URI).to_owned()));
        }
        let known = known.and_then(|known| Url::parse(&known.redirect_uri).ok());
        let port = known.and_then(|uri| uri.port());
        Ok(Self::Listen(Listener::bind(uri, port).await?))
    }

    pub(crate) fn redirect_uri(&self) -> &str {
        match self {
            Self::Listen(listener) => listener.uri(),
            Self::Told(_, uri) => uri,
        }
    }

    /// Brings the person to `address`, and the answer back, once it was checked.
    pub(crate) async fn ask(
        self,
        who: &str,
        target: &str,
        address: &str,
        busy: &watch::Sender<bool>,
    ) -> Result<AuthorizationCallback, Failure> {
        let refused = |kind: ErrorKind, why: String| {
            Failure::new(kind, format!("no access to {target}: {}", why.trim_end()))
        };
        let state = param(address, "state").unwrap_or_default();
        let callback = {
            let _busy = Busy::new(busy);
            let asking = async {
                match self {
                    Self::Listen(listener) => {
                        tell(who, target, address);
                        let heard = listener.callback(&state).await;
                        heard.map_err(|error| refused(error.kind(), error.chain()))
                    }
                    // Whatever it says, the person was asked, and is not to be asked again at once.
                    Self::Told(ask, _) => ask(address.to_owned()).await.map_err(|error| {
                        refused(ErrorKind::PermissionDenied, error.chain()).caused_by(error)
                    }),
                }
            };
            tokio::time::timeout(PATIENCE, asking).await
        };
        let callback = callback.map_err(|_| {
            let minutes = PATIENCE.as_secs() / 60;
            refused(ErrorKind::Unauthenticated, format!("nobody gave it within {minutes} minutes"))
        })??;
        if param(&callback, "state").as_ref() != Some(&state) {
            let why = "the answer belongs to another question";
            return Err(refused(ErrorKind::Unauthenticated, why.to_owned()));
        }
        if let Some(error) = param(&callback, "error") {
            let why = param(&callback, "error_description").unwrap_or_default();
            let why = format!("it was not given ({error}) {why}");
            return Err(refused(ErrorKind::PermissionDenied, why));
        }
        let at = At { target, session: false };
        AuthorizationCallback::from_redirect_url(&callback)
            .map_err(|error| at.authorization(&error))
    }
}

/// For a program in a terminal: whoever reads its log or sees it runs a browser.
fn tell(who: &str, target: &str, address: &str) {
    tracing::warn!("{who} wants access to {target}: open {address}");
    eprintln!("{who} wants access to {target}. Open this address in a browser:\n{address}");
}

/// A parameter of an address.
fn param(address: &str, name: &str) -> Option<String> {
    let address = Url::parse(address).ok()?;
    let found = address.query_pairs().find(|(key, _)| key == name)?.1.into_owned();
    Some(found)
}

/// Says that a person is being asked, until it is dropped.
struct Busy<'a>(&'a watch::Sender<bool>);

impl<'a> Busy<'a> {
    fn new(sender: &'a watch::Sender<bool>) -> Self {
        sender.send_replace(true);
        Self(sender)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.send_replace(false);
    }
}
