//! The scopes to ask the user for.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::transport::auth::AuthorizationMetadata;

use super::AuthorizationCode;
use crate::transport::http_client::failure::HttpFailure;
use crate::transport::oauth::challenge::Challenge;
use crate::transport::oauth::discovery::distinct;
use crate::transport::oauth::error::Error;

/// How long the user is not asked again for the same scopes. Default is 10 minutes.
const WIDER_PAUSE: Duration = Duration::from_secs(10 * 60);

/// The scope that makes an authorization server issue a refresh token.
const OFFLINE: &str = "offline_access";

impl AuthorizationCode {
    /// Returns the scopes to request: those of the settings or the server, and all that were granted before.
    pub(super) async fn scopes(
        &mut self,
        challenge: &Challenge,
        metadata: &AuthorizationMetadata,
    ) -> Result<Vec<String>, HttpFailure> {
        let mut scopes = self.credentials.now().scopes();
        match challenge {
            Challenge::Wider { scopes: more, .. } => {
                scopes.extend(self.oauth.scopes.iter().chain(more).cloned());
            }
            Challenge::Access { .. } if !self.oauth.scopes.is_empty() => {
                scopes.extend(self.oauth.scopes.iter().cloned());
            }
            Challenge::Access { .. } => {
                let manager = self.discovery.manager().await?;
                scopes.extend(manager.select_initial_scopes(&[]).await);
            }
        }
        let offers = metadata.scopes_supported.iter().flatten().any(|scope| scope == OFFLINE);
        if offers && !scopes.is_empty() {
            scopes.push(OFFLINE.to_owned());
        }
        Ok(distinct(scopes))
    }

    /// Checks that requesting more scopes can help.
    pub(super) fn may_widen(&self, scopes: &[String]) -> Result<(), HttpFailure> {
        let wanted: BTreeSet<String> = scopes.iter().cloned().collect();
        let given: BTreeSet<String> = self.credentials.now().scopes().into_iter().collect();
        let recent = self
            .widened
            .iter()
            .any(|(asked, at)| wanted.is_subset(asked) && at.elapsed() < WIDER_PAUSE);
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
