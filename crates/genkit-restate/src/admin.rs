//! Restate's admin API, for registering workers.

use genkit::Result;
use serde_json::json;

use crate::error::Error as E;
use crate::http::Server;

/// The admin API of a Restate server (port 9070).
///
/// ```no_run
/// # async fn example() -> genkit::Result<()> {
/// use genkit_restate::RestateAdmin;
///
/// RestateAdmin::new("http://127.0.0.1:9070")?.register("http://127.0.0.1:9080").await
/// # }
/// ```
#[derive(Clone)]
pub struct RestateAdmin(Server);

impl RestateAdmin {
    /// Creates a client of the admin API at this URL.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the URL is invalid.
    pub fn new(url: &str) -> Result<Self> {
        Ok(Self(Server::new(url)?))
    }

    /// Sets the bearer token, which Restate Cloud requires.
    #[must_use]
    pub fn token(self, token: impl Into<String>) -> Self {
        Self(self.0.with_token(token.into()))
    }

    /// Registers the URL of the workers, at which Restate discovers their services. Register again after deploying a
    /// new version at the same URL; steps and runs in progress then continue with the new version.
    ///
    /// # Errors
    /// Returns `Unavailable` if the server does not respond, and `FailedPrecondition` if no workers respond at the URL.
    pub async fn register(&self, workers: &str) -> Result<()> {
        let body = json!({ "uri": workers, "force": true });
        let (status, answer) = self.0.post_json("deployments", Some(&body)).await?;
        if (200..300).contains(&status) {
            return Ok(());
        }
        let (admin, worker) = (self.0.shown_url(), workers.to_owned());
        Err(E::Registering { admin, worker, message: self.0.parse_message(&answer) }.into())
    }
}

impl std::fmt::Debug for RestateAdmin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RestateAdmin").field(&self.0.shown_url()).finish()
    }
}
