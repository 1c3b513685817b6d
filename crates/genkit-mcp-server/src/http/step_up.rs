//! Step-up authorization: a caller whose token lacks a scope for the requested item receives the
//! required scopes (MCP's authorization, scope challenge).

use rmcp::model::RequestId;

use super::endpoint::EndpointState;
use super::refusal::HttpRefusal;
use super::rules::ParamsOutline;
use crate::principal::Principal;
use genkit_mcp::internal::spans::method_name;

impl EndpointState {
    /// Checks the scopes that the requested item requires.
    ///
    /// # Errors
    /// Returns an error if the caller has a token that lacks a scope.
    pub(super) fn check_scopes(
        &self,
        method: &str,
        id: &RequestId,
        params: &ParamsOutline<'_>,
        principal: Option<&Principal>,
    ) -> Result<(), HttpRefusal> {
        let Some(principal) = principal.filter(|_| self.steps_up) else { return Ok(()) };
        let Some(name) = params.routed_name(method) else { return Ok(()) };
        let needed = self.engine.shared.lacking(method, &name, Some(principal));
        let Some(needed) = needed else { return Ok(()) };
        let scopes = needed.join(" ");
        // Includes the scopes that it already has: a client requests exactly these scopes, and
        // would lose the others.
        let mut all = principal.scopes().to_vec();
        all.extend(needed.into_iter().filter(|scope| !principal.has_scope(scope)));
        Err(HttpRefusal::StepUp {
            id: Some(id.clone()),
            method: method_name(method),
            name: name.into(),
            scopes: scopes.into(),
            challenge: self.challenges.of_scopes(&all),
        })
    }
}
