//! What a person is asked for.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::transport::auth::AuthorizationMetadata;

use super::{Challenge, Failure, Person};
use crate::error::ErrorKind;

/// How long the same is not asked for again after a server wanted more. Default is 10 minutes.
const WIDER_PAUSE: Duration = Duration::from_secs(10 * 60);

/// What lets an authorization server give a refresh token.
const OFFLINE: &str = "offline_access";

impl Person {
    /// What is asked for: what the user says or the server wants, and all that was given before.
    pub(crate) async fn scopes(
        &mut self,
        challenge: &Challenge,
        metadata: &AuthorizationMetadata,
    ) -> Result<Vec<String>, Failure> {
        let mut scopes = self.vault.scopes();
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
        let mut seen = BTreeSet::new();
        scopes.retain(|scope| seen.insert(scope.clone()));
        Ok(scopes)
    }

    /// Whether it makes sense to ask for more.
    pub(crate) fn may_widen(&self, scopes: &[String]) -> Result<(), Failure> {
        let wanted: BTreeSet<String> = scopes.iter().cloned().collect();
        let given: BTreeSet<String> = self.vault.scopes().into_iter().collect();
        let recent = self
            .asked
            .iter()
            .any(|(asked, at)| wanted.is_subset(asked) && at.elapsed() < WIDER_PAUSE);
        if !recent && !wanted.is_subset(&given) {
            return Ok(());
        }
        let target = &self.discovery.target;
        let scopes = scopes.join(" ");
        let text = match (scopes.is_empty(), recent) {
            (true, _) => format!("{target} does not allow this, and does not say what it wants"),
            (false, true) => {
                format!("{target} wants the scopes `{scopes}`, which were asked for and not given")
            }
            (false, false) => {
                format!("{target} does not allow this, although it has the scopes `{scopes}`")
            }
        };
        Err(Failure::new(ErrorKind::PermissionDenied, text))
    }
}
