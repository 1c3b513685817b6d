//! Restate's admin API: telling it where the workers are.

use genkit::Result;
use serde_json::json;

use crate::error::Error as E;
use crate::http::{Server, message_of};

/// Admin API of a Restate server (port 9070).
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
    /// Admin API at this address.
    ///
    /// # Errors
    /// `InvalidArgument` for an address that is none.
    pub fn new(url: &str) -> Result<Self> {
        Ok(Self(Server::new(url)?))
    }

    /// Sets the token, as Restate's cloud wants one.
    #[must_use]
    pub fn token(self, token: impl Into<String>) -> Self {
        Self(self.0.with_token(token.into()))
    }

    /// Registers the address of workers, which Restate asks what they serve. Again, also for a new version of the program at
    /// the same address: steps and runs that are under way go on with it.
    ///
    /// # Errors
    /// `Unavailable` where the server does not answer, `FailedPrecondition` where the workers do not, or are no workers.
    pub async fn register(&self, workers: &str) -> Result<()> {
        let body = json!({ "uri": workers, "force": true });
        let (status, answer) = self.0.post("deployments", Some(&body)).await?;
        if (200..300).contains(&status) {
            return Ok(());
        }
        let (admin, worker) = (self.0.shown(), workers.to_owned());
        Err(E::Registering { admin, worker, message: message_of(&answer) }.into())
    }
}

impl std::fmt::Debug for RestateAdmin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RestateAdmin").field(&self.0.shown()).finish()
    }
}
